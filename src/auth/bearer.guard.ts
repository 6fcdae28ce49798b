import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isOutsideApi } from '../http/public.decorator.js';
import type { Principal } from './principal.js';
import { ApiKeyResolver } from './api-key-resolver.js';

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^Bearer +(.+)$/i;

const secretOf = ({ headers }: Request): string | undefined => BEARER.exec(headers.authorization ?? '')?.[1];

/** The secret that the request was sent with, in a handler behind `ApiKeyGuard`. */
export const SentSecret = createParamDecorator((_: unknown, context: ExecutionContext) =>
  secretOf(context.switchToHttp().getRequest<Request>()),
);

/** Sets `request.principal` from memory. It refuses no request: requests are counted first. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(private readonly resolver: ApiKeyResolver) {}

  canActivate(context: ExecutionContext): boolean {
    if (isOutsideApi(context)) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const secret = secretOf(request);
    request.principal = secret === undefined ? { kind: 'anonymous', sentKey: false } : this.resolve(secret);
    return true;
  }

  private resolve(secret: string): Principal {
    const found = this.resolver.resolve(secret);
    if (found?.kind === 'key') return found;
    return { kind: 'anonymous', sentKey: true, lookUp: found };
  }
}
