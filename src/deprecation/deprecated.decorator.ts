import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { memoize } from '../kernel/memoize.js';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import { EndpointRemoved } from './deprecation.errors.js';

export interface Deprecation {
  /** First day of the deprecation, `YYYY-MM-DD`, from 00:00 UTC. */
  readonly since: string;
  /** Day of the removal, `YYYY-MM-DD`: responses are 410 from 00:00 UTC. */
  readonly sunset: string;
  /** Path of the replacement. */
  readonly successor: string;
  /** Description of the replacement. */
  readonly use: string;
  /** Path of the page that says more, default `/docs`. */
  readonly documentation?: string;
}

const DEPRECATION = 'deprecation';

/** The deprecation of a handler, if any. */
export const deprecationOf = memoize(
  (handler) => Reflect.getMetadata(DEPRECATION, handler) as Deprecation | undefined,
);

/**
 * Deprecates an operation. `DeprecationInterceptor` sends `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, and 410
 * from the sunset on; the OpenAPI document marks the operation.
 */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEPRECATION, deprecation),
    ApiExtension('x-deprecated-sunset', deprecation.sunset),
    ApiErrors(new EndpointRemoved(deprecation)),
  );
}
