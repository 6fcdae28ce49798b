import type { DomainError } from '../kernel/errors/domain-error.js';
import type { Verdict } from './decision.js';
import { ApiKeyBanned, DailyQuotaExceeded, RateLimitExceeded } from './rate-limit.errors.js';
import { wholeSeconds } from './rate-limit.headers.js';
import type { Outcome } from './rate-limit.metrics.js';

export interface Refusal {
  /** Whole seconds, at least 1: a request sent then is admitted, unless others took the room. */
  readonly retryAfter: number;
  readonly error: DomainError;
}

export function outcomeOf({ admitted, windows, bannedFor }: Verdict): Outcome {
  if (admitted) return 'admitted';
  if (bannedFor > 0) return 'banned';
  const dayIsOver = windows.some(({ name, remaining }) => name === 'day' && remaining === 0);
  return dayIsOver ? 'day_exhausted' : 'minute_exhausted';
}

/** Why a request was refused, and when the next one makes sense; `undefined` for an admitted one. */
export function refusalOf(verdict: Verdict): Refusal | undefined {
  const outcome = outcomeOf(verdict);
  if (outcome === 'admitted') return undefined;
  const exhausted = [...verdict.windows, ...(verdict.throttlers ?? [])].filter(
    ({ remaining }) => remaining === 0,
  );
  // Every exhausted window has to end, and a ban, before a request can be admitted again.
  const retryAfter = wholeSeconds(Math.max(verdict.bannedFor, ...exhausted.map(({ resetIn }) => resetIn)));
  return { retryAfter, error: new ERRORS[outcome](retryAfter, verdict.message) };
}

const ERRORS = {
  minute_exhausted: RateLimitExceeded,
  day_exhausted: DailyQuotaExceeded,
  banned: ApiKeyBanned,
} as const;
