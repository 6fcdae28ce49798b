import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError } from '../../kernel/errors/domain-error.js';
import { acceptsProblemsOnly } from '../errors/problem.js';
import { isOutsideApi } from '../route/public.decorator.js';
import { JSON_TYPE, producedTypes } from '../route/produced-types.js';

export class NotAcceptable extends DomainError {
  constructor(types: readonly string[] = [JSON_TYPE]) {
    super(
      'not_acceptable',
      'not_acceptable',
      `The response is ${types.join(' or ')}, which the Accept header excludes.`,
    );
  }
}

/** Rejects a request whose `Accept` excludes every media type of the route (RFC 9110, section 12.5.1). */
@Injectable()
export class AcceptGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const { accept } = request.headers;
    if (accept === undefined || accept === '*/*' || isOutsideApi(context)) return true;
    const types = producedTypes(context.getClass(), context.getHandler());
    if (types.length === 0 || types.includes(accept) || request.accepts(types.flatMap(withCharset)))
      return true;
    if (acceptsProblemsOnly(accept)) return true;
    throw new NotAcceptable(types);
  }
}

/** Some clients add a charset to `Accept`. */
const withCharset = (type: string): string[] => [type, `${type}; charset=utf-8`];
