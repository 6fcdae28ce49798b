import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Response } from 'express';
import { writeJson } from './write-json.js';

/** Express, with answers written by `writeJson` instead of `response.json`, which cannot hold an int64. */
export class JsonAdapter extends ExpressAdapter {
  constructor() {
    super(caseSensitive());
  }

  override reply(response: Response, body: unknown, status?: number): unknown {
    if (typeof body !== 'object' || body === null || body instanceof StreamableFile) {
      return super.reply(response, body, status) as unknown;
    }
    if (status !== undefined) response.statusCode = status;
    const text = writeJson(body);
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('Content-Length', Buffer.byteLength(text));
    return response.end(text);
  }
}

/** One resource has one address (RFC 3986, section 6.2.2.1). A router takes this setting only when it is made. */
function caseSensitive(): Express {
  return express().set('case sensitive routing', true);
}
