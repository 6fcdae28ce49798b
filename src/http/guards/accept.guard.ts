import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError } from '../../kernel/errors/domain-error.js';
import { routeMetadata } from '../route-metadata.js';

/** With its charset too: some clients ask for it, and JSON has no other than UTF-8. */
const JSON_TYPES = ['application/json', 'application/json; charset=utf-8'];

export class NotAcceptable extends DomainError {
  constructor() {
    super(
      'not_acceptable',
      'not_acceptable',
      'The answer is application/json, which the Accept header excludes.',
    );
  }
}

/** Refuses a request whose `Accept` excludes JSON (RFC 9110, section 12.5.1). */
@Injectable()
export class AcceptGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const { accept } = request.headers;
    if (accept === undefined || accept === '*/*' || accept === 'application/json') return true;
    if (request.accepts(JSON_TYPES) || routeMetadata(context).anyRequest) return true;
    throw new NotAcceptable();
  }
}
