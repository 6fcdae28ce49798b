import type { OperationId } from './operations.js';

/** One window of a quota, as the fields `RateLimit-Policy` and `RateLimit` tell it. */
export interface RateLimitWindow {
  /** `minute` or `day`. */
  readonly name: string;
  /** Requests that the window may hold. */
  readonly quota: number;
  /** Its length in seconds. */
  readonly seconds: number;
  /** Requests left. */
  readonly remaining: number;
  /** Seconds until it ends. */
  readonly resetsIn: number;
}

/** The quota of the key after a response. `limit`, `remaining` and `reset` are those of the window with the fewest requests left. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** When that window ends: Unix time in seconds. */
  readonly reset: number;
  readonly windows: readonly RateLimitWindow[];
}

/** What the headers of a response say. */
export interface ResponseInfo {
  readonly operation: OperationId;
  readonly status: number;
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  /** Undefined where something in front of the service has responded. */
  readonly rateLimit: RateLimitState | undefined;
  /** For `ifNoneMatch` and `ifMatch`. */
  readonly etag: string | undefined;
  /** Whether this is the first response once more, because its `Idempotency-Key` was used before. */
  readonly idempotentReplayed: boolean;
  /** Seconds to wait before the next request, if the response says so. */
  readonly retryAfter: number | undefined;
}

/** @param now Unix time in milliseconds */
export function responseInfo(
  operation: OperationId,
  { status, headers }: Response,
  now: number,
): ResponseInfo {
  return {
    operation,
    status,
    requestId: headers.get('X-Request-Id') ?? undefined,
    rateLimit: rateLimitState(headers),
    etag: headers.get('ETag') ?? undefined,
    idempotentReplayed: headers.get('Idempotent-Replayed') === 'true',
    retryAfter: retryAfterOf(headers, now),
  };
}

/**
 * `Retry-After` holds whole seconds, or from some proxies a date (RFC 9110, 10.2.3).
 * @param now Unix time in milliseconds
 * @returns seconds; undefined if there are none
 */
function retryAfterOf(headers: Headers, now: number): number | undefined {
  const field = headers.get('Retry-After');
  if (field === null) return undefined;
  const seconds = /^\d+$/.test(field) ? Number(field) : Math.ceil((Date.parse(field) - now) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function rateLimitState(headers: Headers): RateLimitState | undefined {
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) =>
    Number(headers.get(`X-RateLimit-${name}`) ?? NaN),
  ) as [number, number, number]; // as many as names
  if (![limit, remaining, reset].every(Number.isInteger)) return undefined;
  return { limit, remaining, reset, windows: rateLimitWindows(headers) };
}

/** Both fields are lists such as `"minute";q=60;w=60, "day";q=1000;w=86400`. */
function rateLimitWindows(headers: Headers): RateLimitWindow[] {
  const left = new Map(entries(headers.get('RateLimit')));
  return entries(headers.get('RateLimit-Policy')).flatMap(([name, policy]) => {
    const { q: quota, w: seconds } = policy;
    const { r: remaining, t: resetsIn } = left.get(name) ?? {};
    const isWhole = [quota, seconds, remaining, resetsIn].every((number) => number !== undefined);
    return isWhole ? [{ name, quota, seconds, remaining, resetsIn } as RateLimitWindow] : [];
  });
}

const entries = (field: string | null): [name: string, numbers: Record<string, number>][] =>
  [...(field ?? '').matchAll(/"([^"]*)"((?:;\w+=\d+)*)/g)].map(([, name = '', parameters = '']) => [
    name,
    Object.fromEntries(
      [...parameters.matchAll(/(\w+)=(\d+)/g)].map(([, key, digits]) => [key, Number(digits)]),
    ),
  ]);

/** The address for each relation of the `Link` field (RFC 8288). */
export function links(headers: Headers): Map<string, string> {
  const found = (headers.get('Link') ?? '').matchAll(/<([^>]*)>\s*;[^<]*?\brel="?([^",;]+)/g);
  return new Map([...found].map(([, address = '', relation = '']) => [relation, address]));
}
