import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Caller, Stranger } from './caller.js';
import { CallerDirectory } from './caller-directory.js';

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^Bearer +(.+)$/i;

const NOBODY: Stranger = { kind: 'stranger', sentKey: false };
const WRONG_KEY: Stranger = { kind: 'stranger', sentKey: true };

/** Identifies the caller. It lets everyone pass: strangers are counted before they are refused. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(private readonly directory: CallerDirectory) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const secret = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (secret === undefined) return know(request, NOBODY);
    const holder = this.directory.identify(secret);
    return holder instanceof Promise
      ? holder.then(
          (found) => know(request, found ?? WRONG_KEY),
          (failure: unknown) => know(request, { ...WRONG_KEY, failure: asError(failure) }),
        )
      : know(request, holder ?? WRONG_KEY);
  }
}

function know(request: Request, caller: Caller): true {
  request.caller = caller;
  return true;
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
