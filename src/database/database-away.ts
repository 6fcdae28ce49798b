import { isNativeError } from 'node:util/types';

/** SQLSTATE classes that say "not now" rather than "wrong": connection, resources, operator and time-out, system. */
const AWAY_CLASSES = ['08', '53', '57', '58'];
/** Likewise, of other classes: serialization failure, deadlock, lock not available, and a standby after a failover. */
const AWAY_STATES = ['40001', '40P01', '55P03', '25006'];
const AWAY_SYSTEM_ERRORS = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
];
/** `pg` gives these no code. The last is TypeORM's, for a connection that was lost between two statements. */
const AWAY_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Query read timeout|Cannot use a pool after calling end|Query runner already released/i;

/** Whether an error means that the database is out of reach for the moment. */
export function isDatabaseAway(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  if (AWAY_MESSAGES.test(error.message)) return true;
  if (error instanceof AggregateError && error.errors.some(isDatabaseAway)) return true;
  const code = 'code' in error ? String(error.code) : '';
  return (
    AWAY_SYSTEM_ERRORS.includes(code) ||
    AWAY_STATES.includes(code) ||
    (/^[0-9A-Z]{5}$/.test(code) && AWAY_CLASSES.includes(code.slice(0, 2)))
  );
}
