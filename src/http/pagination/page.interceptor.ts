import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';
import { Page } from '../../kernel/pagination/page.js';
import { PublicUrl } from '../public-url.js';
import { addNextLink } from './link.js';

/** Makes a page the array that a client gets, and the `Link` to the page after it. */
@Injectable()
export class PageInterceptor implements NestInterceptor<unknown, unknown> {
  constructor(private readonly publicUrl: PublicUrl) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next
      .handle()
      .pipe(map((result) => (result instanceof Page ? this.items(result, response) : result)));
  }

  private items({ items, next }: Page<unknown>, response: Response): readonly unknown[] {
    if (next !== undefined) addNextLink(response, this.publicUrl.base, next);
    return items;
  }
}
