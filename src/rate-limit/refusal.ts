import type { DomainError } from '../errors/domain-error.js';
import type { QuotaWindow } from './decision.js';
import type { Verdict } from './quota.js';
import { ApiKeyBanned, DailyQuotaExceeded, RateLimitExceeded } from './rate-limit.errors.js';
import { wholeSeconds } from './rate-limit.headers.js';

export interface Refusal {
  /** Whole seconds, at least 1: a request sent then is admitted, unless others took the room. */
  readonly retryAfter: number;
  readonly error: DomainError;
}

/** Why a request was refused, and when the next one makes sense; `undefined` for an admitted one. */
export function refusalOf({ admitted, windows, bannedFor }: Verdict): Refusal | undefined {
  if (admitted) return undefined;
  const exhausted = windows.filter(({ remaining }) => remaining === 0);
  // Every exhausted window has to end, and a ban, before a request can be admitted again.
  const retryAfter = wholeSeconds(Math.max(bannedFor, ...exhausted.map(({ resetIn }) => resetIn)));
  return { retryAfter, error: errorFor(exhausted, bannedFor, retryAfter) };
}

function errorFor(exhausted: readonly QuotaWindow[], bannedFor: number, retryAfter: number): DomainError {
  if (bannedFor > 0) return new ApiKeyBanned(retryAfter);
  const dayIsOver = exhausted.some(({ name }) => name === 'day');
  return dayIsOver ? new DailyQuotaExceeded(retryAfter) : new RateLimitExceeded(retryAfter);
}
