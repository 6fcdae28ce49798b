import { days } from '../../kernel/clock/duration.js';

export interface Ban {
  /** Unix milliseconds. */
  readonly endsAt: number;
  /** Level of escalation; 1 for the first ban. */
  readonly level: number;
}

/**
 * What is left of a ban's level: each full day without a ban takes one off.
 * @param now Unix milliseconds
 */
export function remainingLevel(ban: Ban | undefined, now: number): number {
  if (!ban) return 0;
  const cleanDays = Math.max(0, Math.floor((now - ban.endsAt) / days(1)));
  return Math.max(0, ban.level - cleanDays);
}
