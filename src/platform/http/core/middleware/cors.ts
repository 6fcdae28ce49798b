import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, RequestHandler } from 'express';
import { Clock } from '../../../kernel/clock/clock.js';
import { minutes } from '../../../kernel/clock/duration.js';
import type { HttpConfig } from '../http.config.js';

type Cors = Pick<HttpConfig, 'corsOrigins' | 'publicUrl'>;

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
export function setupCors(app: NestExpressApplication, { corsOrigins: origins, publicUrl }: Cors): void {
  app.use(noteRefused(origins, publicUrl, app.get(Clock)));
  if (origins.length === 0) return;
  app.enableCors({
    origin: [...origins],
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE,
    preflightContinue: true, // through the pipeline, which adds the usual headers
  });
}

/** How often the log names an origin: each request of a client can have another one. */
const NOTE_EVERY = minutes(1);
const LONGEST = 100; // characters of an origin in the log

/** Logs the origin of a page that a browser keeps from reading responses: the page itself is not told why. */
function noteRefused(
  origins: readonly string[],
  publicUrl: string | undefined,
  clock: Clock,
): RequestHandler {
  const logger = new Logger('Cors');
  const own = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  let next = -Infinity;
  return ({ headers: { origin, host }, path }, _response, proceed) => {
    const isRefused =
      origin !== undefined &&
      isUnderVersion(path) &&
      !origins.includes(origin) &&
      origin !== own &&
      hostOf(origin) !== host;
    if (isRefused && clock.elapsed() >= next) {
      next = clock.elapsed() + NOTE_EVERY;
      logger.warn(
        `Pages of ${origin.slice(0, LONGEST)} cannot call the service: CORS_ORIGINS does not name this origin.`,
      );
    }
    proceed();
  };
}

/** Pages of every origin may read what is outside. */
const isUnderVersion = (path: string): boolean => /^\/v\d/.test(path);

/** With the port, unless it is that of the scheme, as in the `Host` of a browser. */
const hostOf = (origin: string): string => origin.replace(/^https?:\/\//, '');

/**
 * The headers of a response to what is no request, such as headers that are too long: a page may read it if
 * its origin is in the bytes at hand.
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

/**
 * Whether a request is a CORS preflight. Browsers send it without credentials (Fetch standard, section
 * 3.3.5).
 */
export function isPreflight({ method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}
