import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isPublic } from '../http/route/public.decorator.js';
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
    if (principal?.failure !== undefined) throw principal.failure;
    const sentKey = principal?.sentKey === true;
    http.getResponse<Response>().setHeader('WWW-Authenticate', sentKey ? WRONG_KEY : NO_KEY);
    throw sentKey ? new InvalidApiKey() : new MissingApiKey();
  }
}
