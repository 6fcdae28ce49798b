import type { Request, Response } from 'express';
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { seconds } from '../../../kernel/clock/duration.js';
import { Slots } from '../../../kernel/concurrency/slots.js';
import { isFresh } from '../../../http/conditional/response-headers.js';

const compress = promisify(gzip);

/** A document, page or file that is the same for everyone. It is hashed once and compressed once. */
export class FixedContent {
  /** Identifies the content, in its URL too: base64url digits. */
  readonly version: string;
  private readonly body: Buffer;
  private gzipped?: Promise<Buffer>;

  constructor(
    readonly type: string,
    content: string | Buffer,
  ) {
    this.body = Buffer.from(content);
    this.version = hash('sha256', this.body, 'base64url').slice(0, 22);
  }

  /**
   * The content in the best encoding that the client accepts. Each has its own strong `ETag` (RFC 9110,
   * section 8.8.3).
   */
  async in(request: Request): Promise<{ body: Buffer; etag: string; encoding?: 'gzip' }> {
    const { body, version } = this;
    if (this.type.startsWith('image/') || request.acceptsEncodings('gzip', 'identity') !== 'gzip')
      return { body, etag: `"${version}"` };
    const gzipped = await (this.gzipped ??= compress(body, { level: 9 }));
    return { body: gzipped, etag: `"${version}-gzip"`, encoding: 'gzip' };
  }
}

/**
 * How long a client may keep what it got without asking again. A URL with the version of its content is valid
 * for good.
 */
export const CACHE = { revalidate: 'no-cache', forGood: 'public, max-age=31536000, immutable' } as const;

/**
 * Large responses leave one in each pass of the event loop, so that all other requests are served in between.
 */
const downloads = new Slots({ perClient: 1, total: 1, wait: seconds(10) });

/** Sends a content, or 304. @throws ServiceUnavailable if too many others are sent before */
export async function sendFixed(
  response: Response,
  content: FixedContent,
  cache: (typeof CACHE)[keyof typeof CACHE] = CACHE.revalidate,
): Promise<void> {
  const { body, etag, encoding } = await content.in(response.req);
  response.vary('Accept-Encoding');
  const headers = { 'Content-Type': content.type, 'Cache-Control': cache, ETag: etag };
  response.setHeaders(new Map(Object.entries(headers))); // `set()` would add a `charset`
  if (isFresh(response)) {
    response.status(304).end();
    return;
  }
  if (encoding) response.setHeader('Content-Encoding', encoding);
  await downloads.run(response.req.ip ?? '', async () => {
    response.send(body);
    await setImmediate();
  });
}
