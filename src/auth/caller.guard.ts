import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Caller, KeyHolder } from './caller.js';
import { CallerDirectory } from './caller-directory.js';

const BEARER = /^Bearer +([^ ]+) *$/i; // RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110)

/** Identifies the caller. It lets everyone pass: strangers are counted before they are refused. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(private readonly directory: CallerDirectory) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const { authorization } = request.headers;
    if (authorization === undefined) return know(request, { kind: 'stranger', sentKey: false });
    const secret = BEARER.exec(authorization)?.[1];
    const holder = secret === undefined ? undefined : this.directory.identify(secret);
    return holder instanceof Promise
      ? holder.then((found) => know(request, found ?? WRONG_KEY))
      : know(request, holder ?? WRONG_KEY);
  }
}

const WRONG_KEY: Caller = { kind: 'stranger', sentKey: true };

function know(request: Request, caller: Caller | KeyHolder): true {
  request.caller = caller;
  return true;
}
