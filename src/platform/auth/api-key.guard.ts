import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isPublic } from '../http/public.decorator.js';
import { ServiceUnavailable } from '../errors/common.errors.js';
import { challenge, InvalidApiKey, MissingApiKey } from './auth.errors.js';

const NO_KEY = challenge();
const WRONG_KEY = challenge({ error: 'invalid_token' });

/** Rejects a request without a valid key. Public routes and OPTIONS need none: a CORS preflight has no credentials. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { principal, method } = http.getRequest<Request>();
    if (principal?.kind === 'key' || method === 'OPTIONS' || isPublic(context)) return true;
    if (principal?.key === 'unavailable') throw new ServiceUnavailable();
    const isMissing = principal?.key === 'missing';
    http.getResponse<Response>().setHeader('WWW-Authenticate', isMissing ? NO_KEY : WRONG_KEY);
    throw isMissing ? new MissingApiKey() : new InvalidApiKey();
  }
}
