import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';

const MAX_AGE = 7200; // seconds; the maximum of browsers
const EXPOSED = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'ETag',
  'Deprecation',
  'Sunset',
  'Allow',
  'Accept-Patch',
  'WWW-Authenticate',
];

/** Lets pages of the given origins call the service and read its headers. */
export function setupCors(app: NestExpressApplication, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.enableCors({
    origin: [...origins],
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE,
    preflightContinue: true, // through the pipeline, which adds the usual headers
  });
}

/**
 * The headers of a response to what is no request, such as headers that are too long: a page may read it if its origin is in the
 * bytes at hand.
 */
export function corsHeadersFor(packet: Buffer, origins: readonly string[]): [name: string, value: string][] {
  const origin = /^origin:[ \t]*(\S+)/im.exec(packet.toString('latin1'))?.[1];
  if (origin === undefined || !origins.includes(origin)) return [];
  return [
    ['Access-Control-Allow-Origin', origin],
    ['Vary', 'Origin'],
    ['Access-Control-Expose-Headers', EXPOSED.join()],
  ];
}

/** Whether a request is a CORS preflight. Browsers send it without credentials (Fetch standard, section 3.3.5). */
export function isPreflight({ method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}
