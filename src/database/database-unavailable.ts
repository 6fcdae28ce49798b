import { isNativeError } from 'node:util/types';

/** SQLSTATE classes of a failure that passes: connection, resources, operator and time-out, system. */
const CLASSES = ['08', '53', '57', '58'];
/** Likewise, of other classes: serialization failure, deadlock, lock not available, and a standby after a failover. */
const STATES = ['40001', '40P01', '55P03', '25006'];
const SYSTEM_ERRORS = [
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
const MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Query read timeout|Cannot use a pool after calling end|Query runner already released/i;

/** System errors that came from a connection to the database, and not from some other one that a module has. */
const marked = new WeakSet<Error>();

export function markAsDatabaseError(error: Error): void {
  marked.add(error);
}

/** Whether an error means that the database is unavailable for the moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  if (MESSAGES.test(error.message)) return true;
  if ('driverError' in error && error.driverError !== error && isDatabaseUnavailable(error.driverError))
    return true;
  if (marked.has(error) && isConnectionError(error)) return true;
  const code = codeOf(error);
  return STATES.includes(code) || (/^[0-9A-Z]{5}$/.test(code) && CLASSES.includes(code.slice(0, 2)));
}

/** Whether there is no connection to a server, whichever it is. */
export function isConnectionError(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  if (error instanceof AggregateError && error.errors.some(isConnectionError)) return true;
  return SYSTEM_ERRORS.includes(codeOf(error));
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');
