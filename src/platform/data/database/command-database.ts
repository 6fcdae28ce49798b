import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { StartupError } from '../../kernel/config/startup-error.js';
import { Config } from '../../kernel/config/config.js';
import { DatabaseConfig } from './database.config.js';
import { throwConnectionError } from './database-unavailable.js';
import type { Migration } from './migrations/migration-state.js';
import { onStopSignals } from '../../kernel/terminal/on-stop-signals.js';
import { openDatabase } from './open-database.js';
import { connectionOptions } from './pool/connection-options.js';
import { requireSameDatabase } from './same-database.js';

/** The exit code of a program that a signal ends is this plus the signal's number. */
const SIGNALLED = 128;

/** The database as a command uses it. */
export class CommandDatabase {
  /** @param migrations those that must have run */
  constructor(private readonly migrations: readonly Migration[]) {}

  /**
   * Runs work on the database. The service need not be running, but must have created its data folder.
   * @throws StartupError
   */
  async use<T>(
    entities: DataSourceOptions['entities'],
    work: (dataSource: DataSource) => Promise<T>,
  ): Promise<T> {
    const config = new Config().read(DatabaseConfig);
    requireDataFolder(config);
    let close = () => Promise.resolve();
    const stop = (signal: NodeJS.Signals): void => {
      // Otherwise the embedded PostgreSQL would keep running.
      void close().finally(() => process.exit(SIGNALLED + constants.signals[signal]));
    };
    const stopListening = onStopSignals(stop);
    try {
      const { url } = await openDatabase(
        config,
        this.migrations,
        (closeDatabase) => (close = closeDatabase),
        { isShared: true, migrates: false, check: requireSameDatabase },
      );
      const dataSource = new DataSource({ ...connectionOptions(url), entities });
      await dataSource.initialize();
      return await work(dataSource).finally(() => dataSource.destroy());
    } catch (error) {
      return throwConnectionError(error);
    } finally {
      await close();
      stopListening();
    }
  }
}

/** @throws StartupError if there is no database, because no service has created it */
export function requireDataFolder({ databaseUrl, dataDir }: DatabaseConfig): void {
  if (databaseUrl !== undefined || existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) return;
  throw new StartupError(
    `The data folder ${resolve(dataDir)} does not exist. Start the service first, or set DATABASE_URL.`,
  );
}
