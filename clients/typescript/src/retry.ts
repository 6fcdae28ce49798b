import {
  ConflictError,
  ConnectionError,
  NotFoundError,
  type PetstoreError,
  RateLimitError,
} from './errors.js';
import type { Operation } from './operations.js';

const FIRST_WAIT = 500; // milliseconds: the upper end of the first random wait; each further one doubles it
const LONGEST_WAIT = 30_000;
const PASSING_FAULTS: readonly (number | undefined)[] = [408, 502, 503, 504];

/** Whether the same request, sent again, may succeed and cannot do its work twice. */
export function isWorthAnotherTry(operation: Operation, error: PetstoreError): boolean {
  if (error instanceof RateLimitError) return true; // refused before anything was done
  const { method, takesIdempotencyKey } = operation;
  const isDoneOnce = takesIdempotencyKey ?? ['GET', 'PUT', 'DELETE'].includes(method);
  const isPassing =
    error instanceof ConnectionError ||
    PASSING_FAULTS.includes(error.status) ||
    (error instanceof ConflictError && error.code === 'idempotency_in_progress');
  return isDoneOnce && isPassing;
}

/**
 * Whether an earlier attempt has deleted what this one does not find. A 429 deletes nothing, and a 404 of a proxy has no code of
 * the service.
 */
export function isAlreadyDeleted(
  { method }: Operation,
  error: PetstoreError,
  earlier: readonly PetstoreError[],
): boolean {
  const isMissing = error instanceof NotFoundError && !['unknown', 'route_not_found'].includes(error.code);
  return method === 'DELETE' && isMissing && earlier.some((one) => !(one instanceof RateLimitError));
}

/**
 * `Retry-After`, and on top of it a random time below a bound that doubles, so that programs that were refused together do not
 * come back together.
 * @param retry 0 for the first one
 * @param retryAfter in seconds
 * @returns milliseconds
 */
export function waitBefore(retry: number, retryAfter: number | undefined, random: () => number): number {
  const jitter = random() * Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** retry);
  return (retryAfter ?? 0) * 1_000 + jitter;
}
