import type { Request, Response } from 'express';
import { hash } from 'node:crypto';
import { versionOf } from '../conditional/etag.js';
import { DomainError } from '../errors/domain-error.js';

/** The page that a client requests. */
export interface PageRequest {
  /** Maximum number of items. */
  readonly limit: number;
  /** `next` of the previous page; absent for the first page. */
  readonly cursor?: string | undefined;
  /** Absent for the order of the list. */
  readonly sort?: Sort | undefined;
}

/** By `id`: ascending, which is oldest first, or descending. */
export type Sort = 'id' | '-id';

/** A page of a list, with the cursor of the next page. */
export class Page<T> extends Array<T> {
  /** Methods such as `filter` return plain arrays. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** Cursor of the next page; absent on the last one. */
  readonly next: string | undefined;
  /** Whether the client requested one id. If so, the response has the `ETag` of the item, for `If-Match`. */
  isSingleItem = false;

  constructor(items: readonly T[] = [], next?: string) {
    super();
    for (let i = 0; i < items.length; i++) this[i] = items[i] as T;
    this.next = next;
  }

  override map<U>(transform: (item: T, index: number, items: T[]) => U): Page<U> {
    const page = new Page<U>(undefined, this.next);
    for (let i = 0; i < this.length; i++) page[i] = transform(this[i] as T, i, this);
    page.isSingleItem = this.isSingleItem;
    return page;
  }

  /** Marks this page as the result of a request for one id. */
  asSingleItem(): this {
    this.isSingleItem = true;
    return this;
  }
}

/**
 * Adds the `Link` to the next page (RFC 8288): the absolute URL of the same request with the next cursor. If the client
 * requested one id, adds the `ETag` of the item.
 * @param base address of the service, without `/v1`
 */
export function addPageHeaders(response: Response, result: unknown, base: () => string): void {
  const page = result instanceof Page ? (result as Page<object>) : undefined;
  if (page?.next !== undefined) {
    const { req: request } = response;
    const next = `<${base()}${request.path}?${withCursor(request, page.next)}>; rel="next"`;
    const others = response.getHeader('Link');
    response.setHeader('Link', others === undefined ? next : `${String(others)}, ${next}`);
  }
  const item = page?.isSingleItem === true ? page[0] : undefined;
  if (item) response.setHeader('ETag', versionOf(item));
}

function withCursor({ url }: Request, cursor: string): string {
  const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
  query.set('cursor', cursor);
  return query.toString();
}

export class InvalidCursor extends DomainError {
  static override readonly help = {
    meaning: 'The `cursor` belongs to another list, filter or order, or was modified.',
    action:
      'Start again without a cursor. Follow `Link` unchanged, and keep the filter and `sort` of the first page.',
  };

  constructor() {
    super(
      'invalid',
      'invalid_cursor',
      'The cursor does not belong to this list, filter and order. Start again without one.',
    );
  }
}

const ID_BYTES = 8;
const SCOPE_BYTES = 8;

/** The last id (8 bytes) and a fingerprint of the list and filter, in base64url. */
export function encodeCursor(after: number | bigint, scope: string): string {
  const bytes = Buffer.alloc(ID_BYTES + SCOPE_BYTES);
  bytes.writeBigInt64BE(BigInt(after));
  bytes.write(fingerprint(scope), ID_BYTES, 'hex');
  return bytes.toString('base64url');
}

/** @throws InvalidCursor unless it is a cursor of the same scope */
export function decodeCursor(cursor: string, scope: string): bigint {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.toString('base64url') !== cursor || bytes.length !== ID_BYTES + SCOPE_BYTES)
    throw new InvalidCursor();
  if (bytes.toString('hex', ID_BYTES) !== fingerprint(scope)) throw new InvalidCursor();
  return bytes.readBigInt64BE();
}

const fingerprint = (scope: string): string => hash('sha256', scope, 'hex').slice(0, 2 * SCOPE_BYTES);
