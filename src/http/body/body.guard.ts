import { type CanActivate, type ExecutionContext, Injectable, type RawBodyRequest } from '@nestjs/common';
import type { Request } from 'express';
import { type RouteMetadata, routeMetadata } from '../route-metadata.js';
import { markPartial } from '../validation/partial-update.js';
import { UnsupportedMediaType } from './json.errors.js';
import { isJsonMediaType } from './media-type.js';
import { parseBody } from './parse-body.js';
import { checkLength, readBody } from './read-body.js';

type BodyRequest = RawBodyRequest<Request>;

/**
 * Reads and parses a JSON body into `request.body`, and keeps its bytes in `request.rawBody`. It is the last guard of
 * the pipeline: no byte is read for a client without a valid key, and the guards, interceptors and pipes of a module
 * find the body parsed. Other media types stay unread for the middleware or the interceptor that a route has for them.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<BodyRequest>();
    if (!hasBody(request)) return true;
    if (isRead(request)) return ready(request);
    const route = routeMetadata(context);
    if (route.anyRequest || (isSafe(request) && !route.body)) return true;
    const reading = readingOf(route, request);
    if (reading !== 'none') checkLength(request);
    return reading === 'none' || take(request, reading);
  }
}

type Reading = 'json' | 'raw' | 'none';

/** @throws UnsupportedMediaType */
function readingOf(route: RouteMetadata, request: Request): Reading {
  const type = request.headers['content-type'] ?? '';
  if (route.consumes && request.is([...route.consumes]) === false) throw unsupported(route.consumes);
  if (isJsonMediaType(type) || (route.consumes && isJsonSuffix(type))) return 'json';
  if (route.rawBody) return 'raw';
  if (route.body && !route.consumes && !(route.multipart && request.is('multipart/*'))) throw unsupported();
  return 'none';
}

async function take(request: BodyRequest, reading: 'json' | 'raw'): Promise<true> {
  request.rawBody = await readBody(request);
  if (reading === 'json') request.body = parseBody(request.rawBody);
  return ready(request);
}

function ready({ method, body }: Request): true {
  if (method === 'PATCH') markPartial(body);
  return true;
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether middleware of a module has been at it. */
const isRead = (request: Request): boolean => request.body !== undefined || request.readableDidRead;

/** The content of such a request means nothing (RFC 9110, section 9.3.1), unless the handler says otherwise. */
const isSafe = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

const isJsonSuffix = (type: string): boolean => /^application\/[^;\s]+\+json\s*(;|$)/i.test(type);

const unsupported = (types: readonly string[] = ['application/json']): UnsupportedMediaType =>
  new UnsupportedMediaType(`Send the body as ${types.join(' or ')}.`);
