import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ValidationFailed } from '../../kernel/errors/validation-failed.error.js';
import { unknownField } from '../validation/unknown-field.js';
import { takesAnything, takesQuery } from './handler-arguments.js';

/** Refuses query parameters where a handler takes none; where it takes some, the validation pipe does. */
@Injectable()
export class UnknownQueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (takesQuery(context) || takesAnything(context) || !request.url.includes('?')) return true;
    const names = Object.keys(request.query);
    if (names.length === 0) return true;
    throw new ValidationFailed(names.map(unknownField));
  }
}
