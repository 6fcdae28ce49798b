import { StartupError } from '../kernel/errors/common.errors.js';
import { isConnectionError, isDatabaseUnavailable } from './database-unavailable.js';

/** SQLSTATE 28: wrong user or password; 3D: no such database. */
const isRejected = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(28|3D)/.test(String(error.code));

/** @throws StartupError that says in one line why there is no connection; other errors as they are */
export function unreachable(error: unknown): never {
  if (!isRejected(error) && !isDatabaseUnavailable(error) && !isConnectionError(error)) throw error;
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const reason = inner instanceof Error ? inner.message : String(inner);
  throw new StartupError(
    `DATABASE_URL: no connection (${reason}). Check that the database runs and that the URL is right.`,
  );
}
