import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Response } from 'express';
import { createServer } from 'node:http';
import { parse, type ParsedUrlQuery } from 'node:querystring';
import type { Readable } from 'node:stream';
import '../../kernel/json/write-json.js';
import type { Config } from '../../kernel/config/config.js';
import { fromBaseFilter } from '../errors/error-body.js';
import { negotiateError } from '../errors/problem.js';
import { type Address, baseUrl } from '../public-url.js';
import { isNotModified } from '../conditional/etag.js';
import { endInBatch } from './response-batching.js';
import { json, sendJson } from './send-json.js';
import { serverFor } from './server-classes.js';
import { SERVER_OPTIONS } from './transport-limits.js';

/** Express with exact 64-bit integers in JSON. */
export class JsonAdapter extends ExpressAdapter {
  constructor(private readonly config: Pick<Config, 'fastPaths'> & Address) {
    super(expressApp());
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    this.httpServer = this.config.fastPaths
      ? serverFor(app, SERVER_OPTIONS)
      : createServer(SERVER_OPTIONS, app);
  }

  override reply(response: Response, result: unknown, status?: number): unknown {
    const error = fromBaseFilter(result, status);
    const body = negotiateError(error, response, status ?? response.statusCode, () =>
      baseUrl(this.config, this.httpServer),
    );
    if (body instanceof StreamableFile) return this.replyWithFile(response, body, status);
    if (ArrayBuffer.isView(body)) {
      return response
        .status(status ?? response.statusCode)
        .send(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
    }
    if (!this.config.fastPaths || !isJson(body)) return super.reply(response, body, status) as unknown;
    if (status !== undefined) response.statusCode = status;
    sendJson(response, body, endInBatch);
    return response;
  }

  private async replyWithFile(response: Response, file: StreamableFile, status?: number): Promise<unknown> {
    if (isNotModified(response)) {
      file.getStream().destroy();
      return response.status(304).end();
    }
    await firstBytes(file, response);
    return super.reply(response, file, status) as unknown;
  }
}

/** What Nest passes to `response.json()`. It sends no properties of an Error, which may contain anything. */
const isJson = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && !(body instanceof Error);

function expressApp(): Express {
  const app = express();
  app.set('case sensitive routing', true); // one resource has one address; a router reads this when it is created
  app.set('query parser', parseQuery);
  app.response.json = json;
  return app;
}

/** Plain `name=value` pairs; by default `parse` stops after 1000. */
const parseQuery = (text: string): ParsedUrlQuery => parse(text, '&', '=', { maxKeys: 0 });

const DEFAULT_HANDLER = String(new StreamableFile(Buffer.alloc(0)).errorHandler);

/**
 * Waits for the first bytes of a file: a filter can respond to an error before them, and a later error closes the
 * connection. A file with its own error handler is not awaited.
 * @throws the error of the stream
 */
async function firstBytes(file: StreamableFile, response: Response): Promise<void> {
  const stream = file.getStream();
  if (String(file.errorHandler) !== DEFAULT_HANDLER || stream.readableLength > 0 || stream.readableEnded)
    return;
  if (stream.errored) throw stream.errored;
  response.once('close', () => stream.destroy());
  await readable(stream);
}

function readable(stream: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('readable', resolve).once('close', resolve).once('error', reject);
  });
}
