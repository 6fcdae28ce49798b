import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Response } from 'express';
import { isUnchanged } from '../conditional/etag.js';
import { interfaceFirst } from './interface-first.js';
import { leaveTogether } from './leave-together.js';
import { serverFor } from './server-classes.js';
import { SERVER_OPTIONS } from './transport-limits.js';
import { Page } from '../../kernel/pagination/page.js';
import { linkToNext } from '../pagination/link.js';
import { writeJson } from '../../kernel/json/write-json.js';
import { WrittenJson } from '../../kernel/json/written-json.js';

/** Express, with answers written by `writeJson` instead of `response.json`, which cannot hold an int64. */
export class JsonAdapter extends ExpressAdapter {
  constructor() {
    super(caseSensitive());
  }

  /** Called when every route is there. */
  override setNotFoundHandler(...of: Parameters<ExpressAdapter['setNotFoundHandler']>): unknown {
    interfaceFirst(this.getInstance<Express>());
    return super.setNotFoundHandler(...of) as unknown;
  }

  override initHttpServer(): void {
    this.httpServer = serverFor(this.getInstance(), SERVER_OPTIONS);
  }

  override reply(response: Response, body: unknown, status?: number): unknown {
    if (typeof body !== 'object' || body === null || body instanceof StreamableFile) {
      return super.reply(response, body, status) as unknown;
    }
    if (status !== undefined) response.statusCode = status;
    send(response, body instanceof Page ? items(response, body) : body);
    return response;
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

function send(response: Response, value: unknown): void {
  const text = value instanceof WrittenJson ? value.text : writeJson(value);
  if (isUnchanged(response, text)) {
    leaveTogether(response.status(304), '');
    return;
  }
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  leaveTogether(response, text);
}
