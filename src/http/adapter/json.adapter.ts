import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Response } from 'express';
import { createServer } from 'node:http';
import '../../kernel/json/write-json.js';
import type { Config } from '../../kernel/config/config.js';
import { fromBaseFilter } from '../errors/error-body.js';
import { inPreferredForm } from '../errors/problem.js';
import { type Address, baseUrl } from '../public-url.js';
import { isNotModified } from '../conditional/etag.js';
import { endInBatch } from './response-batching.js';
import { firstBytes } from './send-file.js';
import { json, sendJson } from './send-json.js';
import { serverFor } from './server-classes.js';
import { SERVER_OPTIONS } from './transport-limits.js';

/** Express, with JSON that holds 64-bit integers. */
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

  override reply(response: Response, answer: unknown, status?: number): unknown {
    const error = fromBaseFilter(answer, status);
    const body = inPreferredForm(error, response, status ?? response.statusCode, () =>
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

/** What Nest hands to `response.json()`. It sends no properties of an Error, which may hold anything. */
const isJson = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && !(body instanceof Error);

function expressApp(): Express {
  const app = express();
  app.set('case sensitive routing', true); // one resource has one address; a router reads this when it is made
  app.response.json = json;
  return app;
}
