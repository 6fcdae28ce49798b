import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { checkHost } from '../host.js';

/** Refuses a request that does not name one host. */
@Injectable()
export class HostGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    checkHost(context.switchToHttp().getRequest<Request>());
    return true;
  }
}
