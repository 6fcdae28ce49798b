import type { Request, Response } from 'express';
import { hash } from 'node:crypto';
import { versionOf } from '../conditional/response-headers.js';
import { DomainError } from '../../kernel/errors/domain-error.js';
import type { Int64 } from '../../kernel/json/int64.js';

/** The page that a client requests. */
export interface PageRequest {
  /** Maximum number of items. */
  readonly limit: number;
  /** `next` of the previous page; absent for the first page. */
  readonly cursor?: string | undefined;
  /** What the list is ordered by, descending with a `-` before it. Absent for the order of the list. */
  readonly sort?: string | undefined;
}

/** By `id`: ascending, which is oldest first, or descending. */
export type Sort = 'id' | '-id';

/** The last item of a page, from which the next one continues. */
export interface Position {
  readonly id: Int64;
  /** The text of what the list is ordered by before `id`; empty if there is nothing. */
  readonly key: string;
}

/** A cursor that is valid for every list: tools such as Postman send the example of each parameter. */
export const FIRST = 'first';

/** Whether a request asks for the first page. */
export const isFirst = (cursor: string | undefined): cursor is undefined | typeof FIRST =>
  cursor === undefined || cursor === FIRST;

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
  /** The parameter that told where to begin. The link to the next page has the cursor instead. */
  beginning: string | undefined;

  constructor(items: readonly T[] = [], next?: string) {
    super();
    for (let i = 0; i < items.length; i++) this[i] = items[i] as T;
    this.next = next;
  }

  override map<U>(transform: (item: T, index: number, items: T[]) => U): Page<U> {
    const page = new Page<U>(undefined, this.next);
    for (let i = 0; i < this.length; i++) page[i] = transform(this[i] as T, i, this);
    page.isSingleItem = this.isSingleItem;
    page.beginning = this.beginning;
    return page;
  }

  /** Marks this page as the result of a request for one id. */
  asSingleItem(): this {
    this.isSingleItem = true;
    return this;
  }

  /**
   * @param parameter of the query that told where to begin; the link to the next page has the cursor instead
   */
  begunBy(parameter: string): this {
    this.beginning = parameter;
    return this;
  }
}

/**
 * Adds the `Link` to the next page (RFC 8288): the absolute URL of the same request with the next cursor. If
 * the client requested one id, adds the `ETag` of the item.
 * @param base address of the service, without `/v1`
 */
export function addPageHeaders(response: Response, result: unknown, base: () => string): void {
  const page = result instanceof Page ? (result as Page<object>) : undefined;
  if (page?.next !== undefined) {
    const { req: request } = response;
    const next = `<${base()}${request.path}?${withCursor(request, page.next, page.beginning)}>; rel="next"`;
    const others = response.getHeader('Link');
    response.setHeader('Link', others === undefined ? next : `${String(others)}, ${next}`);
  }
  const item = page?.isSingleItem === true ? page[0] : undefined;
  if (item) response.setHeader('ETag', versionOf(item));
}

function withCursor({ url }: Request, cursor: string, beginning: string | undefined): string {
  const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
  if (beginning !== undefined) query.delete(beginning);
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

const KEY_AT = ID_BYTES + SCOPE_BYTES;

/**
 * The last id (8 bytes), a fingerprint of the list, the filter and the key (8 bytes), and the key, in
 * base64url. The fingerprint catches mistakes: whoever makes up a cursor gets no more than another page of
 * the same list.
 */
export function encodeCursor(id: Int64, scope: string, key = ''): string {
  const bytes = Buffer.alloc(KEY_AT + Buffer.byteLength(key));
  bytes.writeBigInt64BE(BigInt(id));
  bytes.write(fingerprint(scope + key), ID_BYTES, 'hex');
  bytes.write(key, KEY_AT);
  return bytes.toString('base64url');
}

/**
 * The id in a cursor of a list that is ordered by nothing else.
 * @throws InvalidCursor unless it is a cursor of the same scope
 */
export const decodeCursor = (cursor: string, scope: string): bigint => decodePosition(cursor, scope).id;

/** @throws InvalidCursor unless it is a cursor of the same scope */
export function decodePosition(cursor: string, scope: string): Position & { readonly id: bigint } {
  const bytes = Buffer.from(cursor, 'base64url');
  const key = bytes.toString('utf8', KEY_AT);
  const isWhole = bytes.length >= KEY_AT && bytes.toString('base64url') === cursor;
  if (!isWhole || key.includes('\0') || bytes.toString('hex', ID_BYTES, KEY_AT) !== fingerprint(scope + key))
    throw new InvalidCursor();
  return { id: bytes.readBigInt64BE(), key };
}

const fingerprint = (text: string): string => hash('sha256', text, 'hex').slice(0, 2 * SCOPE_BYTES);
