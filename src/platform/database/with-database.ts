import { constants } from 'node:os';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { DatabaseConfig } from './database.config.js';
import { throwConnectionError } from './database-unavailable.js';
import { openForCommand } from './open-database.js';
import { connectionOptions } from './pool/connection-options.js';

/** The exit code of a program that a signal ends is this plus the signal's number. */
const SIGNALLED = 128;

/**
 * Runs work on the database. The service need not be running. A signal ends the process, with `process.exitCode` if it is set.
 * @throws StartupError
 */
export async function withDatabase<T>(
  config: DatabaseConfig,
  work: (dataSource: DataSource) => Promise<T>,
  entities: DataSourceOptions['entities'] = [],
): Promise<T> {
  let close = () => Promise.resolve();
  const stop = (signal: NodeJS.Signals): void => {
    // Otherwise the embedded PostgreSQL would keep running.
    void close().finally(() => process.exit(process.exitCode ?? SIGNALLED + constants.signals[signal]));
  };
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  try {
    const { url } = await openForCommand(config, (closeDatabase) => (close = closeDatabase));
    const dataSource = new DataSource({ ...connectionOptions(url), entities });
    await dataSource.initialize();
    return await work(dataSource).finally(() => dataSource.destroy());
  } catch (error) {
    return throwConnectionError(error);
  } finally {
    await close();
    process.off('SIGINT', stop).off('SIGTERM', stop).off('SIGHUP', stop);
  }
}
