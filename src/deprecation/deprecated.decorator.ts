import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import { EndpointRemoved } from './deprecation.errors.js';

export interface Deprecation {
  /** The day it became deprecated, `YYYY-MM-DD`, from 00:00 UTC. */
  readonly since: string;
  /** The day it is removed, `YYYY-MM-DD`, from 00:00 UTC: it responds with 410 from then on. */
  readonly sunset: string;
  /** Path of its replacement. */
  readonly successor: string;
  /** The replacement in words. */
  readonly use: string;
}

const DEPRECATION = 'deprecation';

/** The deprecation of a handler, if it has one. */
export const deprecationOf = (handler: object): Deprecation | undefined =>
  Reflect.getMetadata(DEPRECATION, handler) as Deprecation | undefined;

/**
 * A deprecated operation: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` headers on its responses, 410 from the
 * sunset on (both by `DeprecationInterceptor`), and its marks in the OpenAPI document.
 */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEPRECATION, deprecation),
    ApiExtension('x-deprecated-sunset', deprecation.sunset),
    ApiErrors(new EndpointRemoved(deprecation)),
  );
}
