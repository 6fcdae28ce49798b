import { type CallHandler, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { isObservable, map, type Observable } from 'rxjs';
import { Page } from '../../kernel/pagination/page.js';
import type { DirectInterceptor } from '../direct-interceptors/direct-interceptor.js';
import { PublicUrl } from '../public-url.js';
import { addNextLink } from './link.js';

/** Makes a page the array that a client gets, and the `Link` to the page after it. */
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
    return result.items;
  }
}
