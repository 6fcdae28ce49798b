import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { type Observable, tap } from 'rxjs';
import { versionOf } from './etag.js';
import { asPublicPath } from '../http/public-url.js';

/** Adds the `ETag` of the resource that the handler returns. */
@Injectable()
export class EtagInterceptor implements NestInterceptor<unknown, unknown> {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      tap((resource) => {
        if (isObject(resource)) response.setHeader('ETag', versionOf(resource));
      }),
    );
  }
}

/** Adds the `Location` of the created resource: the path of the request and the `id`. */
@Injectable()
export class LocationInterceptor implements NestInterceptor<unknown, unknown> {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    const collection = response.req.path.replace(/\/$/, '');
    return next.handle().pipe(
      tap((resource) => {
        if (isObject(resource) && 'id' in resource)
          response.location(asPublicPath(response, `${collection}/${String(resource.id)}`));
      }),
    );
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
