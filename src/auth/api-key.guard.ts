import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isPublic } from '../http/public.decorator.js';
import { InvalidApiKey, MissingApiKey } from './auth.errors.js';
import { challenge } from './challenge.js';

const NO_KEY = challenge();
const WRONG_KEY = challenge({ error: 'invalid_token' });

/** Lets key principals through, and everyone to a public route. OPTIONS needs no key: browsers send a preflight without one. */
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
