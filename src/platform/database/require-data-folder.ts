import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseConfig } from './database.config.js';
import { StartupError } from '../config/startup-error.js';

/** Fails if there is neither a `DATABASE_URL` nor a data folder. @param missing what the message says is missing */
export function requireDataFolder(
  { databaseUrl, dataDir }: Pick<DatabaseConfig, 'databaseUrl' | 'dataDir'>,
  missing: string,
): void {
  if (databaseUrl !== undefined || existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) return;
  throw new StartupError(
    `There are no ${missing}: the data folder ${resolve(dataDir)} does not exist. Start the service first.`,
  );
}
