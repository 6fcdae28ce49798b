import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';
import { asPublicPath } from '../http/public-url.js';

interface Sent {
  readonly etag: boolean;
  /** Whether the resource is a new one, below the path of the request. */
  readonly location?: boolean;
}

/** Adds the headers of the resource that the handler returns: its `ETag`, and the `Location` of a new one. */
export class ResourceHeaders implements NestInterceptor<unknown, unknown> {
  constructor(private readonly sent: Sent) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return next.handle().pipe(
      map((resource) => {
        if (typeof resource === 'object' && resource !== null)
          this.describe(resource, context.switchToHttp().getResponse<Response>());
        return resource;
      }),
    );
  }

  private describe(resource: object, response: Response): void {
    if (this.sent.etag) response.req.returnsResource = true; // interceptors may change what is sent
    if (!this.sent.location || !('id' in resource)) return;
    const collection = response.req.path.replace(/\/$/, '');
    response.location(asPublicPath(response, `${collection}/${String(resource.id)}`));
  }
}
