import type { Ban } from '../../auth/principal.js';
import { days } from '../../kernel/clock/duration.js';

const CLEAN_DAY = days(1);

/**
 * The ban that follows the ones before it: each is longer, and a day without one takes one step back.
 * @param steps lengths in milliseconds, the last one for all further bans
 * @param now Unix milliseconds
 */
export function nextBan(last: Ban | undefined, steps: readonly number[], now: number): Ban {
  const cleanDays = last ? Math.max(0, Math.floor((now - last.endsAt) / CLEAN_DAY)) : 0;
  const before = Math.min(Math.max(0, (last?.level ?? 0) - cleanDays), steps.length - 1);
  return { endsAt: now + (steps[before] ?? 0), level: before + 1 };
}
