import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type RawBodyRequest,
  type Type,
} from '@nestjs/common';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { HttpConfig } from '../http.config.js';
import { ValidationFailed } from '../../../kernel/errors/common.errors.js';
import { bodyError } from '../../../kernel/errors/field-error.js';
import { isCatchAll } from '../not-found/catch-all.js';
import { bodyClass, takesMemberOfBody } from '../handlers.js';
import { perHandler } from '../per-handler.js';
import { JsonError, parseJson } from '../../../kernel/json/parse-json.js';
import { consumedTypes } from '../accepted-types.js';
import {
  ENCODING,
  InvalidJson,
  PayloadTooLarge,
  UnreadableBody,
  UnsupportedMediaType,
} from './body.errors.js';
import { decoderOf, readBytes } from './read-bytes.js';

/**
 * The `request.body` of a media type that is left to the handler's interceptors. A `@Body()` parameter
 * refuses it.
 */
export const UNREAD: unknown = Object.freeze(Object.create(null));

/**
 * Characters of a `Content-Type`. The longest in use, of a form with files and its boundary, has about a
 * hundred.
 */
const MAX_TYPE = 256;
const FORM = 'application/x-www-form-urlencoded';

/** What body-parser calls a form with more than 1,000 fields, or with names of more than 32 levels. */
const BEYOND_LIMITS = ['parameters.too.many', 'querystring.parse.rangeError'];
const TOO_MANY_FIELDS = bodyError([], {
  code: 'length',
  message: 'The form must have at most 1000 fields, in at most 32 levels',
});

const NOT_UTF8 = bodyError([], { code: 'format', message: 'The form must be UTF-8 in percent-encoding' });

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const readingOf = perHandler((handler, controller) => ({
  consumes: consumedTypes(handler, controller),
  isReader: !isCatchAll(controller),
  dto: bodyClass(handler, controller),
  takesMember: takesMemberOfBody(handler, controller),
}));

type Reading = ReturnType<typeof readingOf>;

/** @throws ValidationFailed if there is none, although a PATCH consists of its body (RFC 5789, section 2) */
function requireBody({ method }: Request, dto: Type | undefined): void {
  if (method !== 'PATCH' || dto === undefined) return;
  throw new ValidationFailed([bodyError([], { code: 'required', message: 'A PATCH needs a body' })]);
}

/**
 * Reads JSON, and forms where `@ApiConsumes()` names them, into `request.body`; then takes a slot of the
 * client, also for a GET. It is the last guard of the pipeline: the body of a request without a valid key is
 * not read. A body that middleware of a module has read stays as it is. The slot is taken before anything is
 * parsed: while the request waits, memory holds only the raw bytes.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  private readonly limit: number;
  private readonly parseForm: (request: Request, response: Response) => Promise<void>;

  constructor({ maxBodyBytes: limit }: HttpConfig) {
    this.limit = limit;
    this.parseForm = promisify(
      express.urlencoded({ limit, type: () => true, extended: true }) as RequestHandler,
    );
  }

  /** @throws PayloadTooLarge, UnreadableBody, UnsupportedMediaType, InvalidJson, ServiceUnavailable */
  canActivate(context: ExecutionContext): true | Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<RawBodyRequest<Request>>();
    if (hasBody(request) && this.isToBeRead(request)) {
      const reading = readingOf(context);
      if (reading.isReader) return this.read(request, http.getResponse<Response>(), reading);
    }
    if (request.body === undefined && request.method === 'PATCH')
      requireBody(request, readingOf(context).dto);
    return request.slotSource?.takeSlot(request, http.getResponse<Response>()) ?? true;
  }

  /** The body of a GET or HEAD has no meaning (RFC 9110, section 9.3.1). */
  private isToBeRead(request: Request): boolean {
    const isRead = request.body !== undefined || request.readableDidRead;
    return !isRead && request.method !== 'GET' && request.method !== 'HEAD';
  }

  private async read(
    request: RawBodyRequest<Request>,
    response: Response,
    { consumes, dto, takesMember }: Reading,
  ): Promise<true> {
    const format = formatOf(request, consumes);
    if (format === 'bytes' || format === 'form') await this.readAs(format, request, response);
    else {
      if (!(await isEmpty(request))) {
        if (format) throw format;
        // Nobody will read it: an author whose interceptor does names its media type.
        if (takesMember && consumes === undefined && request.is('multipart') === false)
          throw UnsupportedMediaType.expecting(consumes);
        request.body = UNREAD;
      }
      await request.slotSource?.takeSlot(request, response);
    }
    if (request.body === undefined) requireBody(request, dto);
    return true;
  }

  private async readAs(
    format: 'bytes' | 'form',
    request: RawBodyRequest<Request>,
    response: Response,
  ): Promise<void> {
    if (Number(request.headers['content-length'] ?? 0) > this.limit) throw new PayloadTooLarge(this.limit);
    const decoder = decoderOf(request);
    const sent = await readBytes(request, this.limit);
    await request.slotSource?.takeSlot(request, response);
    if (sent.length === 0) return; // empty chunks: no body, as with Content-Length: 0
    const bytes = await decoder(sent, this.limit);
    if (format === 'bytes') {
      request.rawBody = bytes;
      request.body = bytes.length > 0 ? parseBody(bytes) : undefined;
    } else request.body = await this.form(request, response, bytes);
  }

  private async form(request: Request, response: Response, bytes: Buffer): Promise<unknown> {
    const { 'content-type': type = '' } = request.headers;
    if (isUtf8(type) && !isUtf8Form(bytes)) throw new ValidationFailed([NOT_UTF8]);
    const headers = { 'content-type': type, 'content-length': String(bytes.length) };
    // The parser reads a stream with headers, and nothing else of a request.
    const source = Object.assign(Readable.from([bytes]), { headers }) as unknown as Request;
    await this.parseForm(source, response).catch(rethrowAsDomainError);
    return source.body;
  }
}

/** @param error of body-parser */
function rethrowAsDomainError(error: unknown): never {
  const { status, type = '' } = error as { readonly status?: number; readonly type?: string };
  if (BEYOND_LIMITS.includes(type)) throw new ValidationFailed([TOO_MANY_FIELDS]);
  throw status === 415 ? new UnsupportedMediaType(ENCODING) : new UnreadableBody();
}

/** Whether a body in chunks ends without a byte. Waits for the first one, and leaves it in the stream. */
async function isEmpty(request: Request): Promise<boolean> {
  if (request.headers['transfer-encoding'] === undefined) return false;
  if (!request.complete && request.readableLength === 0)
    await new Promise((resolve) => request.once('readable', resolve).once('close', resolve));
  return request.complete && request.readableLength === 0;
}

/**
 * How a body is read; undefined for a media type that is left to the handler, an error for one that is not
 * accepted.
 */
function formatOf(
  request: Request,
  consumes: string[] | undefined,
): 'bytes' | 'form' | undefined | UnsupportedMediaType {
  const type = request.headers['content-type'] ?? '';
  if (type.length > MAX_TYPE) return UnsupportedMediaType.expecting(consumes);
  const isOther = consumes !== undefined && request.is(consumes) === false;
  const isJsonBody = isJson(type) || (consumes !== undefined && isJsonSuffix(type));
  if (isOther || (isJsonBody && !isUtf8(type))) return UnsupportedMediaType.expecting(consumes);
  if (isJsonBody) return 'bytes';
  return consumes !== undefined && request.is(FORM) !== false ? 'form' : undefined;
}

/** @throws InvalidJson */
export function parseBody(bytes: Buffer): unknown {
  try {
    return parseJson(decodeUtf8(bytes));
  } catch (error) {
    throw error instanceof JsonError ? new InvalidJson(error.message) : error;
  }
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new InvalidJson('it is not UTF-8');
  }
}

/** Whether all names and values are UTF-8: the parser would take others as they are written. */
function isUtf8Form(bytes: Buffer): boolean {
  try {
    decodeURIComponent(utf8.decode(bytes));
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether a `Content-Type` is JSON, in any charset. No regular expression: the cost is linear in the header's
 * length.
 */
function isJson(contentType: string): boolean {
  return typeOf(contentType) === 'application/json';
}

/** Whether a `Content-Type` has the suffix of JSON, such as `application/merge-patch+json`. */
function isJsonSuffix(contentType: string): boolean {
  const type = typeOf(contentType);
  return type.startsWith('application/') && type.endsWith('+json');
}

const typeOf = (contentType: string): string => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();

/**
 * False for another charset only: JSON defines no parameters (RFC 8259, section 11), so others are ignored.
 */
function isUtf8(contentType: string): boolean {
  const [, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  return parameters.every(isHarmless);
}

function isHarmless(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=', 2).map((part) => part.trim());
  return name !== 'charset' || value === 'utf-8' || value === '"utf-8"';
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
