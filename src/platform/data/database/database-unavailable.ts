import { isNativeError } from 'node:util/types';
import { StartupError } from '../../kernel/config/startup-error.js';
import { errorCodeOf } from '../../kernel/errors/error-code.js';
import { TransactionRolledBack } from './transaction-rolled-back.js';

/**
 * SQLSTATE classes of temporary failures: connection, a password that is being rotated, resources, operator
 * intervention, system.
 */
const CLASSES = ['08', '28', '53', '57', '58'];
/**
 * Temporary failures of other classes: serialization, deadlock, lock, a standby after a failover, and a
 * transaction that waited too long.
 */
const STATES = ['40001', '40P01', '55P03', '25006', '25P03', '25P04'];
/**
 * SQLSTATE of what ends the connection too: a stop, a time limit of the session or transaction, a protocol
 * that is out of step.
 */
const FATAL = /^(57P0\d|25P0[34]|08)/;
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
/**
 * Errors of `pg` without a code. The last two are TypeORM's, for a connection lost between two statements.
 */
const MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed and is not queryable|Query read timeout|Cannot use a pool after calling end|Query runner already released|query runner was already released/i;

/** TypeORM's words, also in its own queries, after the connection of a transaction has ended. */
const RELEASED = /query runner (was )?already released/i;

/** Why a transaction cannot go on, for the log, if the error itself names an internal of TypeORM only. */
export const lossOf = (error: unknown): string | undefined =>
  isNativeError(error) && RELEASED.test(error.message)
    ? 'the connection of the transaction was lost'
    : undefined;

/** System errors of connections to the database, as opposed to other connections of modules. */
const marked = new WeakSet<Error>();

export function markAsDatabaseError(error: Error): void {
  marked.add(error);
}

/**
 * Whether the same request may succeed soon: the database is away, or has ended this transaction for another
 * one (a deadlock, a serialization failure).
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  if (error instanceof TransactionRolledBack && error.cause !== undefined)
    return isDatabaseUnavailable(error.cause);
  if (MESSAGES.test(error.message)) return true;
  if ('driverError' in error && error.driverError !== error && isDatabaseUnavailable(error.driverError))
    return true;
  if (marked.has(error) && isConnectionError(error)) return true;
  const code = errorCodeOf(error);
  if (isStaleStatement(error)) return true;
  return STATES.includes(code) || (/^[0-9A-Z]{5}$/.test(code) && CLASSES.includes(code.slice(0, 2)));
}

/** Whether PostgreSQL closes the connection after this error. */
export const endsConnection = (error: unknown): boolean => FATAL.test(errorCodeOf(error));

/**
 * SQLSTATE: a prepared statement does not exist, or exists already. Both come from a pooler that changes the
 * session.
 */
const MIXED_UP = ['26000', '42P05'];

/**
 * Whether a prepared statement no longer works, because a migration changed its columns or a pooler mixes
 * statements up.
 */
export function isStaleStatement(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  if ('driverError' in error) return isStaleStatement(error.driverError);
  const routine = 'routine' in error && error.routine;
  return (
    MIXED_UP.includes(errorCodeOf(error)) ||
    (errorCodeOf(error) === '0A000' && routine === 'RevalidateCachedQuery')
  );
}

/** Whether the error is a failed connection, to any server. */
function isConnectionError(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  if (error instanceof AggregateError && error.errors.some(isConnectionError)) return true;
  if ('syscall' in error && error.syscall === 'connect') return true; // such as ENOENT of a socket's path
  return SYSTEM_ERRORS.includes(errorCodeOf(error)) || isCertificateError(error);
}

/**
 * An invalid certificate, or one from an unknown authority. Temporary while one of the two is being replaced.
 */
const isCertificateError = (error: Error): boolean =>
  /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/.test(errorCodeOf(error));

/** SQLSTATE 28: wrong user or password; 3D: unknown database. */
const isRejected = (error: unknown): boolean => /^(28|3D)/.test(errorCodeOf(error));

/** What a command or the start says of a database that responds, by SQLSTATE. */
const REFUSALS = new Map([
  ['25006', 'PostgreSQL is read-only. Name the primary, or wait until a failover has ended.'],
  [
    '57014',
    'PostgreSQL has ended a statement by its statement_timeout. Raise that of the role or of the pooler.',
  ],
]);

/** @throws StartupError for a failed connection and for what PostgreSQL refuses; other errors unchanged */
export function throwConnectionError(error: unknown): never {
  if (error instanceof StartupError) throw error;
  const refusal = REFUSALS.get(errorCodeOf(error));
  if (refusal !== undefined) throw new StartupError(`DATABASE_URL: ${refusal}`, { cause: error });
  if (isRejected(error) || isDatabaseUnavailable(error) || isConnectionError(error))
    rethrowAsNoConnection(error);
  throw error;
}

/** @param error of an attempt to connect, whatever it is */
export function rethrowAsNoConnection(error: unknown): never {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const reason = inner instanceof Error ? inner.message : String(inner);
  throw new StartupError(
    `DATABASE_URL: no connection (${reason}). Check that the database runs and that the URL is right.`,
  );
}
