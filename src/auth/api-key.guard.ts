import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { InvalidApiKey, MissingApiKey } from './auth.errors.js';

const REALM = 'Bearer realm="petstore"';

/** Lets key holders through. OPTIONS needs no key: browsers send a preflight without one. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { caller, method } = http.getRequest<Request>();
    if (caller?.kind === 'key' || method === 'OPTIONS') return true;
    if (caller?.failure !== undefined) throw caller.failure;
    const sentKey = caller?.sentKey === true;
    const challenge = sentKey ? `${REALM}, error="invalid_token"` : REALM; // RFC 6750, section 3
    http.getResponse<Response>().setHeader('WWW-Authenticate', challenge);
    throw sentKey ? new InvalidApiKey() : new MissingApiKey();
  }
}
