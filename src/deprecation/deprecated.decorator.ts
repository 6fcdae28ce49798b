import { applyDecorators, SetMetadata, UseGuards } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { DEPRECATION } from '../openapi/decorators/operation-marks.js';
import { ApiRefusals } from '../openapi/decorators/refusals.decorator.js';
import { EndpointRemoved } from './deprecation.errors.js';
import { DeprecationGuard } from './deprecation.guard.js';

export interface Deprecation {
  /** The day it became deprecated, `YYYY-MM-DD`, from 00:00 UTC. */
  readonly since: string;
  /** The day it is removed, `YYYY-MM-DD`, from 00:00 UTC: it answers 410 from then on. */
  readonly sunset: string;
  /** Path of what replaces it. */
  readonly successor: string;
  /** The replacement in words. */
  readonly use: string;
}

/**
 * An operation on its way out: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` headers on its answers,
 * 410 from the sunset on, and its marks in the OpenAPI document, all from one place.
 */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEPRECATION, deprecation),
    UseGuards(DeprecationGuard),
    ApiExtension('x-deprecated-sunset', deprecation.sunset),
    ApiRefusals(new EndpointRemoved(deprecation)),
  );
}
