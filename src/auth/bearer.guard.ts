import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isOutside } from '../http/public.decorator.js';
import type { Principal } from './principal.js';
import { CallerDirectory } from './caller-directory.js';

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^Bearer +(.+)$/i;

/** Identifies the principal by what memory knows. It refuses nobody: requests are counted before that. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(private readonly directory: CallerDirectory) {}

  canActivate(context: ExecutionContext): boolean {
    if (isOutside(context)) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const secret = BEARER.exec(request.headers.authorization ?? '')?.[1];
    request.principal = secret === undefined ? { kind: 'anonymous', sentKey: false } : this.identify(secret);
    return true;
  }

  private identify(secret: string): Principal {
    const found = this.directory.identify(secret);
    if (found?.kind === 'key') return found;
    return { kind: 'anonymous', sentKey: true, lookUp: found };
  }
}
