import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Response } from 'express';
import { createServer } from 'node:http';
import { parse, type ParsedUrlQuery } from 'node:querystring';
import type { Readable } from 'node:stream';
import { writeJson } from '../../json/write-json.js';
import { type Address, baseUrl, pathOf, PUBLIC_PATH } from '../public-url.js';
import { serialRequests } from './serial-requests.js';
import type { ResponseHooks } from './response-hooks.js';
import { SERVER_OPTIONS } from './transport-limits.js';

const JSON_TYPE = 'application/json'; // JSON has no `charset` (RFC 8259, section 11)
const WITHOUT_CONTENT = new Set([204, 205, 304]);

/** Express with exact 64-bit integers in JSON. */
export class JsonAdapter extends ExpressAdapter {
  /** Computed once, because `server.address()` is a system call. */
  private base?: string;

  constructor(
    private readonly address: Address,
    private readonly hooks: ResponseHooks,
  ) {
    super(expressApp().set(PUBLIC_PATH, pathOf(address.publicUrl)));
  }

  override initHttpServer(): void {
    const listener = serialRequests(this.getInstance<Express>());
    // Ignore expectations other than 100-continue (RFC 9110, section 10.1.1); by default Node responds with a bare 417.
    this.httpServer = createServer(SERVER_OPTIONS, listener).on('checkExpectation', listener);
  }

  override reply(response: Response, body: unknown, status?: number): unknown {
    if (response.writableEnded) return response; // client-errors.ts has responded already
    this.hooks.addHeaders(response, body, this.baseUrl);
    if (body instanceof StreamableFile) return this.replyWithFile(response, body, status);
    if (!isJson(body)) return super.reply(response, body, status) as unknown;
    if (status !== undefined) response.statusCode = status;
    sendJson(response, body, this.hooks);
    return response;
  }

  private readonly baseUrl = (): string => (this.base ??= baseUrl(this.address, this.httpServer));

  private async replyWithFile(response: Response, file: StreamableFile, status?: number): Promise<unknown> {
    await firstBytes(file.getStream(), response);
    return super.reply(response, file, status) as unknown;
  }
}

/** Whether Nest would pass the body to `response.json()`. Not an Error, whose properties may be confidential. */
const isJson = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && !(body instanceof Error);

/** Sends a JSON response with exact 64-bit integers; 304 if the client's copy is current. */
function sendJson(response: Response, value: object, { isNotModified }: ResponseHooks): void {
  const text = writeJson(value);
  if (isNotModified(response, text)) response.statusCode = 304;
  if (WITHOUT_CONTENT.has(response.statusCode)) {
    response.removeHeader('Content-Type');
    response.removeHeader('Content-Length');
    response.end();
    return;
  }
  if (!hasType(response)) response.setHeader('Content-Type', JSON_TYPE);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
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
  return app;
}

/** Plain `name=value` pairs, without the default limit of 1000. */
const parseQuery = (text: string): ParsedUrlQuery => parse(text, '&', '=', { maxKeys: 0 });

/**
 * Waits for the first bytes of a file: until then an error can still become an error response. A later error closes the
 * connection.
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
