import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { createServer } from 'node:http';
import { SERVER_OPTIONS } from '../http/transport-limits.js';
import express, { type Express, type Response } from 'express';
import { Page } from '../paging/page.js';
import { linkToNext } from '../paging/link.js';
import { writeJson } from './write-json.js';
import { WrittenJson } from './written-json.js';

/** Express, with answers written by `writeJson` instead of `response.json`, which cannot hold an int64. */
export class JsonAdapter extends ExpressAdapter {
  constructor() {
    super(caseSensitive());
  }

  override initHttpServer(): void {
    this.httpServer = createServer(SERVER_OPTIONS, this.getInstance<Express>());
  }

  override reply(response: Response, body: unknown, status?: number): unknown {
    if (typeof body !== 'object' || body === null || body instanceof StreamableFile) {
      return super.reply(response, body, status) as unknown;
    }
    if (status !== undefined) response.statusCode = status;
    if (body instanceof Page) return send(response, items(response, body));
    return send(response, body);
  }
}

/** One resource has one address (RFC 3986, section 6.2.2.1). A router takes this setting only when it is made. */
function caseSensitive(): Express {
  return express().set('case sensitive routing', true);
}

/** A page's items are the body, its cursor a `Link` header. */
function items(response: Response, page: Page<unknown>): readonly unknown[] {
  if (page.next !== undefined) response.setHeader('Link', linkToNext(response.req, page.next));
  return page.items;
}

function send(response: Response, value: unknown): Response {
  const text = value instanceof WrittenJson ? value.text : writeJson(value);
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  return response.end(text);
}
