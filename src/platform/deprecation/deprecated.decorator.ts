import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { ApiErrors } from '../errors/api-errors.decorator.js';
import { type Deprecation, DEPRECATION, EndpointRemoved } from './deprecation.js';
import { DeprecationInterceptor } from './deprecation.interceptor.js';

/**
 * Deprecates an operation. `DeprecationInterceptor` sends `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`
 * headers, and responds with 410 from the sunset on. The OpenAPI document marks the operation.
 */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEPRECATION, deprecation),
    UseInterceptors(DeprecationInterceptor),
    ApiExtension('x-deprecated-sunset', deprecation.sunset),
    ApiErrors(new EndpointRemoved(deprecation)),
  );
}
