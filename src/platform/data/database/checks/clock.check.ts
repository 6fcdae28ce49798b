import { warn } from '../../../kernel/config/check-result.js';
import { CLOCK_TOLERANCE, clockOffset, DATABASE_TIME } from '../clock-offset.js';
import type { DatabaseCheck } from './database-check.js';

/** A process decides by its own clock whether a key has expired, and dates events by it. */
export const checkClock: DatabaseCheck = async ({ query }) => {
  const asked = Date.now();
  const [{ theirs } = { theirs: asked }] = await query<{ theirs: number }>(
    `SELECT ${DATABASE_TIME} AS theirs`,
  );
  const offset = clockOffset(asked, theirs, Date.now());
  if (Math.abs(offset) <= CLOCK_TOLERANCE) return [];
  const finding = `the clock of this machine is ${Math.round(Math.abs(offset) / 1000)} s ${offset > 0 ? 'ahead of' : 'behind'} that of PostgreSQL`;
  return [
    warn('clock', finding, 'Synchronize both with NTP: keys and bans end, and events are dated, by clocks.'),
  ];
};
