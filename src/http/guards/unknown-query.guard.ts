import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { unknownError } from '../../kernel/errors/field-error.js';
import { ValidationFailed } from '../../kernel/errors/common.errors.js';
import { isOutsideApi } from '../route/public.decorator.js';
import { routeMetadata } from '../route/route-metadata.js';

/**
 * Rejects query parameters that the route does not declare. Skips handlers with a `@Query()` DTO, which the validation pipe
 * checks, and handlers that receive the request and so may read any parameter.
 */
@Injectable()
export class UnknownQueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (!request.url.includes('?')) return true;
    const { query, isCatchAll } = routeMetadata(context);
    if (!query || isCatchAll || isOutsideApi(context)) return true;
    const unknown = Object.keys(request.query).filter((name) => !query.has(name));
    if (unknown.length === 0) return true;
    throw new ValidationFailed(unknown.map((name) => unknownError('query', [name])));
  }
}
