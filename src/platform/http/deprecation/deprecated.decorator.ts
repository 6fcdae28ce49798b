// deprecation/ announces the end of an operation, and ends it on its day.

import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { Clock } from '../../kernel/clock/clock.js';
import { ApiErrors } from '../../kernel/errors/api-errors.decorator.js';
import { PublicUrl } from '../core/public-url.js';
import {
  assertDeprecation,
  type Deprecation,
  DEPRECATION,
  deprecationHeaders,
  deprecationOf,
  EndpointRemoved,
} from './deprecation.js';

/**
 * Adds the deprecation headers to the responses of a deprecated operation, except those of the guards, and
 * responds with 410 from the sunset on.
 */
@Injectable()
export class DeprecationInterceptor implements NestInterceptor<unknown, unknown> {
  constructor(
    private readonly publicUrl: PublicUrl,
    private readonly clock: Clock,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const deprecation = deprecationOf(context.getHandler());
    if (deprecation) this.announce(deprecation, context.switchToHttp().getResponse<Response>());
    return next.handle();
  }

  /** @throws EndpointRemoved from the sunset on */
  private announce(deprecation: Deprecation, response: Response): void {
    for (const [name, value] of Object.entries(deprecationHeaders(deprecation, this.publicUrl.base)))
      response.setHeader(name, value);
    if (this.clock.now() >= Date.parse(deprecation.sunset)) throw new EndpointRemoved(deprecation);
  }
}

/**
 * Deprecates an operation. `DeprecationInterceptor` sends `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and
 * `Link` headers, and responds with 410 from the sunset on. The OpenAPI document marks the operation.
 * @throws TypeError if a day does not exist, the sunset is before the first day, or a text does not fit into
 *   the headers
 */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  assertDeprecation(deprecation);
  return applyDecorators(
    SetMetadata(DEPRECATION, deprecation),
    UseInterceptors(DeprecationInterceptor),
    ApiExtension('x-deprecated-sunset', deprecation.sunset),
    ApiErrors(new EndpointRemoved(deprecation)),
  );
}
