import { type CallHandler, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isObservable, map, type Observable } from 'rxjs';
import { versionOf } from '../../kernel/expected-version.js';
import { Page } from '../../kernel/pagination/page.js';
import type { DirectInterceptor } from '../direct-interceptors/direct-interceptors.js';
import { PublicUrl } from '../public-url.js';

/** Turns a `Page` into its array and the `Link` to the next page. */
@Injectable()
export class PageInterceptor implements DirectInterceptor {
  constructor(private readonly publicUrl: PublicUrl) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(map((result) => this.unwrap(result, response)));
  }

  async around(context: ExecutionContext, next: () => Promise<unknown>): Promise<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    const result = await next();
    if (isObservable(result)) return result.pipe(map((value) => this.unwrap(value, response)));
    return this.unwrap(result, response);
  }

  private unwrap(result: unknown, response: Response): unknown {
    if (!(result instanceof Page)) return result;
    if (result.next !== undefined) addNextLink(response, this.publicUrl.base, result.next);
    const [item] = result.items as readonly (object | undefined)[];
    if (result.isOfOneId && item) response.setHeader('ETag', versionOf(item));
    return result.items;
  }
}

/**
 * Adds the `Link` to the next page (RFC 8288): the absolute URL of the same request with the next cursor.
 * @param base address of the service, without `/v1`
 */
function addNextLink(response: Response, base: string, cursor: string): void {
  const { req: request } = response;
  const next = `<${base}${request.path}?${withCursor(request, cursor)}>; rel="next"`;
  const others = response.getHeader('Link');
  response.setHeader('Link', others === undefined ? next : `${String(others)}, ${next}`);
}

/** Parses the query only if it has a cursor already, or characters that need encoding. */
function withCursor({ url, query }: Request, cursor: string): string {
  const start = url.indexOf('?');
  if (start < 0) return `cursor=${cursor}`;
  if (/^[\w=&.-]*$/.test(url.slice(start + 1)) && !url.includes('cursor='))
    return `${url.slice(start + 1)}&cursor=${cursor}`;
  return new URLSearchParams({ ...(query as Record<string, string>), cursor }).toString();
}
