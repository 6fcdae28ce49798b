import { type CanActivate, type ExecutionContext, Injectable, type RawBodyRequest } from '@nestjs/common';
import type { Request } from 'express';
import type { IncomingMessage } from 'node:http';
import { type RouteMetadata, routeMetadata } from '../route/route-metadata.js';
import { markPartial } from '../validation/partial-update.js';
import { UnsupportedMediaType } from '../body/body.errors.js';
import { checkLength, isJson, isJsonSuffix, isUtf8, parseBody, readBody } from '../body/read-body.js';

type BodyRequest = RawBodyRequest<Request>;

/**
 * Parses a JSON body into `request.body` and keeps its bytes in `request.rawBody`. It is the last guard of the pipeline: the
 * body of a request without a valid key is not read. Other media types are left to the interceptors of the route.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<BodyRequest>();
    if (!hasBody(request)) return true;
    if (isRead(request)) return ready(request);
    const route = routeMetadata(context);
    if (route.isCatchAll || (isSafe(request) && !route.body)) return true;
    const format = formatOf(route, request);
    if (format !== 'none') checkLength(request);
    return format === 'none' || read(request, format);
  }
}

type Format = 'json' | 'raw' | 'none';

/** @throws UnsupportedMediaType */
function formatOf(route: RouteMetadata, request: Request): Format {
  const type = request.headers['content-type'] ?? '';
  if (route.consumes && request.is([...route.consumes]) === false) throw unsupported(route.consumes);
  if (isJson(type) || (route.consumes && isJsonSuffix(type))) {
    if (!isUtf8(type)) throw unsupported(route.consumes);
    return 'json';
  }
  if (route.rawBody) return 'raw';
  if (route.body && !route.consumes && !(route.multipart && request.is('multipart/*'))) throw unsupported();
  return 'none';
}

async function read(request: BodyRequest, format: 'json' | 'raw'): Promise<true> {
  request.rawBody = await readBody(request);
  if (format === 'json') request.body = parseBody(request.rawBody);
  return ready(request);
}

function ready({ method, body }: Request): true {
  if (method === 'PATCH') markPartial(body);
  return true;
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether a module's middleware has read the body. */
const isRead = (request: Request): boolean => request.body !== undefined || request.readableDidRead;

/** The body of such a request has no meaning (RFC 9110, section 9.3.1), unless the handler has a body parameter. */
const isSafe = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

const unsupported = (types: readonly string[] = ['application/json']): UnsupportedMediaType =>
  UnsupportedMediaType.expecting(types);
