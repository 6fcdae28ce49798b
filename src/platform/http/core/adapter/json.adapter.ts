import { type RequestMethod, StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Response } from 'express';
import { createServer } from 'node:http';
import type { Readable } from 'node:stream';
import { withTimeout, seconds } from '../../../kernel/clock/duration.js';
import { writeJson } from '../../../kernel/json/write-json.js';
import { markMiddleware } from './allowed-methods.js';
import { type ServiceAddress, baseUrl, pathOf, PUBLIC_PATH } from '../public-url.js';
import { serialRequests } from './serial-requests.js';
import { parseQuery } from './query-parser.js';
import { announceLast, releaseSlots } from './response-head.js';
import type { ResponseTransaction } from '../request-state.js';
import { SERVER_OPTIONS } from './transport-limits.js';

export const JSON_TYPE = 'application/json'; // JSON has no `charset` (RFC 8259, section 11)
const WITHOUT_CONTENT = new Set([204, 205, 304]);

/** What `pagination` and `conditional`, which are above `http`, add to each response (`app.setup.ts`). */
export interface ResponseHooks {
  /** @param base address of the service, without `/v1` */
  readonly addHeaders: (response: Response, result: unknown, base: () => string) => void;
  /** Sets the `ETag` of a response. */
  readonly addTags: (response: Response, body: string) => void;
  /** Whether the client already has this response, by its validators. */
  readonly isNotModified: (response: Response) => boolean;
}

/** Makes the server, and writes every response: JSON with exact 64-bit integers, or a file. */
export class JsonAdapter extends ExpressAdapter {
  /** Computed once, because `server.address()` is a system call. */
  private base?: string;

  constructor(
    private readonly config: ServiceAddress,
    private readonly hooks: ResponseHooks,
  ) {
    super(expressApp().set(PUBLIC_PATH, pathOf(config.publicUrl)));
  }

  override initHttpServer(): void {
    const server = createServer(SERVER_OPTIONS, serialRequests(this.getInstance<Express>()));
    // Expectations but 100-continue are ignored (RFC 9110, section 10.1.1); by default Node.js responds with
    // a bare 417.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    this.httpServer = server;
  }

  /** Of all routes of Express, only those of handlers make a path known. */
  override createMiddlewareFactory(
    method: RequestMethod,
  ): ReturnType<ExpressAdapter['createMiddlewareFactory']> {
    const register = super.createMiddlewareFactory(method);
    return (path, callback) => {
      markMiddleware(callback);
      return register(path, callback) as unknown;
    };
  }

  /**
   * Sends what a handler or a filter returns. The response to a request with an `Idempotency-Key` ends the
   * transaction of its handler first: it is stored and committed, or, from status 400 on, everything is
   * rolled back.
   * @returns a promise for such a response and for a file. Nest awaits that of a handler, so that an error
   *   becomes the response
   */
  override reply(response: Response, body: unknown, status?: number): unknown {
    const { transaction } = response.req;
    if (response.writableEnded) {
      void transaction?.rollBack();
      return response; // client-errors.ts has responded already
    }
    if (status !== undefined) response.statusCode = status;
    this.hooks.addHeaders(response, body, this.baseUrl);
    if (!transaction) return this.send(response, body);
    const ended =
      response.statusCode < 400
        ? this.store(response, body, transaction).then((text) => {
            finish(response, text);
          })
        : withTimeout(transaction.rollBack(), ROLL_BACK_TIMEOUT, () => undefined).then(() =>
            this.send(response, body),
          );
    ended.catch(() => undefined); // Nest does not await the response of an exception filter
    return ended;
  }

  private send(response: Response, body: unknown): unknown {
    if (body instanceof StreamableFile) return this.sendFile(response, body);
    if (!isJson(body)) return super.reply(response, body) as unknown;
    sendJson(response, body, this.hooks);
    return response;
  }

  /** Stores a response and commits. @returns its body @throws TypeError for what cannot be stored */
  private async store(
    response: Response,
    body: unknown,
    transaction: ResponseTransaction,
  ): Promise<string | null> {
    if (body instanceof StreamableFile || ArrayBuffer.isView(body))
      throw new TypeError(
        'An idempotent operation cannot send a file or stream: its response is stored as text.',
      );
    const text = textFor(response, body);
    if (text !== null && isJson(body)) this.hooks.addTags(response, text);
    await transaction.commit(text);
    return text;
  }

  private readonly baseUrl = (): string => (this.base ??= baseUrl(this.config, this.httpServer));

  private async sendFile(response: Response, file: StreamableFile): Promise<unknown> {
    if (!hasErrorHandler(file)) await firstBytes(file.getStream(), response);
    return super.reply(response, file) as unknown;
  }
}

/** An error response waits this long for ROLLBACK, so that a repeat does not get 409. */
const ROLL_BACK_TIMEOUT = seconds(1);

/**
 * Whether Nest would pass the body to `response.json()`. Not an Error, whose properties may be confidential.
 */
const isJson = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && !(body instanceof Error);

/** The text that `send` would have written. Sets its media type. */
function textFor(response: Response, body: unknown): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'object') return jsonFor(response, body);
  const type = response.getHeader('Content-Type');
  if (typeof type !== 'string') response.type('html');
  else if (!/;\s*charset=/i.test(type)) response.setHeader('Content-Type', `${type}; charset=utf-8`);
  return `${body as string | number | bigint | boolean}`;
}

/** Sends a JSON response with exact 64-bit integers; 304 if the client's copy is current. */
function sendJson(response: Response, value: object, hooks: ResponseHooks): void {
  const text = jsonFor(response, value);
  if (text !== null) {
    hooks.addTags(response, text);
    if (hooks.isNotModified(response)) response.statusCode = 304;
  }
  finish(response, text);
}

/**
 * Writes JSON, and sets its media type unless the route has. The `toJSON()` of an object may give nothing to
 * write.
 */
function jsonFor(response: Response, value: object): string | null {
  const text = (writeJson(value) as string | undefined) ?? null;
  if (!hasType(response)) response.setHeader('Content-Type', JSON_TYPE);
  return text;
}

/** Whether the route has set a media type. An error response keeps it only if it is JSON. */
function hasType(response: Response): boolean {
  const type = response.getHeader('Content-Type');
  return (
    typeof type === 'string' && (response.statusCode < 400 || /^[\w.-]+\/([\w.-]+\+)?json\b/i.test(type))
  );
}

function expressApp(): Express {
  const app = express();
  app.set('case sensitive routing', true); // one URL per resource; must be set before the router is created
  app.set('query parser', parseQuery);
  releaseSlots(app);
  announceLast(app);
  return app;
}

/** The source of Nest's own handler: each file has its own instance of it. */
const DEFAULT_HANDLER = String(new StreamableFile(Buffer.alloc(0)).errorHandler);

/** Whether `setErrorHandler()` has given a file a handler of its own, which responds to any error. */
const hasErrorHandler = (file: StreamableFile): boolean => String(file.errorHandler) !== DEFAULT_HANDLER;

/**
 * Waits for the first bytes of a file: until then an error can still become an error response. A later error
 * closes the connection.
 * @throws the error of the stream
 */
async function firstBytes(stream: Readable, response: Response): Promise<void> {
  if (stream.readableLength > 0 || stream.readableEnded) return;
  if (stream.errored) throw stream.errored;
  response.once('close', () => stream.destroy());
  await new Promise((resolve, reject) => {
    stream.once('readable', resolve).once('close', resolve).once('error', reject);
  });
}

/** Ends a response with a text, which its status may not allow. `null` is no body. */
export function finish(response: Response, text: string | null): void {
  if (WITHOUT_CONTENT.has(response.statusCode)) {
    response.removeHeader('Content-Type');
    response.removeHeader('Content-Length');
    response.end();
    return;
  }
  response.setHeader('Content-Length', text === null ? 0 : Buffer.byteLength(text));
  response.end(text ?? undefined);
}
