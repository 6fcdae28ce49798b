import { StartupError } from '../kernel/errors/startup.error.js';
import { isDatabaseAway } from './database-away.js';

/** SQLSTATE 28: wrong user or password; 3D: no such database. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(28|3D)/.test(String(error.code));

/** Says in one line why a connection could not be made; what is no such failure is thrown on. */
export function unreachable(error: unknown): never {
  if (!isRefusal(error) && !isDatabaseAway(error)) throw error;
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const reason = inner instanceof Error ? inner.message : String(inner);
  throw new StartupError(
    `DATABASE_URL: no connection (${reason}). Check that the database runs and that the URL is right.`,
  );
}
