import { seconds } from '../../kernel/clock/duration.js';

/** Clocks that differ by more than this in milliseconds, either way, end keys and bans at the wrong time. */
export const CLOCK_TOLERANCE = seconds(1);

/** SQL: PostgreSQL's time, in milliseconds since the Unix epoch. */
export const DATABASE_TIME = '(extract(epoch FROM clock_timestamp()) * 1000)::float8';

/**
 * By how much the clock of this process is ahead of PostgreSQL's, or behind if negative, in milliseconds.
 * PostgreSQL read its own at some time between question and answer, so this is the least that explains it:
 * a slow network, or a wait for a connection, is no difference.
 * @param asked this process's time before the question
 * @param theirs PostgreSQL's time in its answer
 * @param answered this process's time after the answer
 */
export function clockOffset(asked: number, theirs: number, answered: number): number {
  if (theirs < asked) return asked - theirs;
  return theirs > answered ? answered - theirs : 0;
}
