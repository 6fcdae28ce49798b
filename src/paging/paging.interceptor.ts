import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { PublicUrl } from '../http/public-url.js';
import { Page } from './page.js';

/** A page's items become the body, its cursor a `Link: <...>; rel="next"` (RFC 8288) with an absolute URL. */
@Injectable()
export class PagingInterceptor implements NestInterceptor {
  constructor(private readonly publicUrl: PublicUrl) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next
      .handle()
      .pipe(map((answer: unknown) => (answer instanceof Page ? this.send(answer, context) : answer)));
  }

  private send(page: Page<unknown>, context: ExecutionContext): readonly unknown[] {
    const http = context.switchToHttp();
    if (page.next !== undefined) {
      const url = this.urlOf(http.getRequest<Request>(), page.next);
      http.getResponse<Response>().setHeader('Link', `<${url}>; rel="next"`);
    }
    return page.items;
  }

  private urlOf(request: Request, cursor: string): string {
    const query = new URLSearchParams({ ...(request.query as Record<string, string>), cursor });
    return `${this.publicUrl.base}${request.path}?${query.toString()}`;
  }
}
