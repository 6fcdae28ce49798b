import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Config } from '../../kernel/config/config.js';
import { StartupError } from '../../kernel/errors/common.errors.js';
import type { ApiKey } from '../../auth/api-key.entity.js';
import type { KeyServices } from './key-services.js';

/**
 * Loads TypeORM only now: help, plans and typing errors answer without it, four times as fast. Where there is no data
 * folder there is no key either, and only the command that makes one makes the folder too.
 * @throws StartupError
 */
export async function withKeys<T>(
  work: (services: KeyServices) => Promise<T>,
  { makesDataFolder = false } = {},
): Promise<T> {
  const config = new Config();
  if (!makesDataFolder) expectDataFolder(config);
  const { withKeyServices } = await import('./key-services.js');
  return withKeyServices(config, work);
}

export function existing(id: string, key: ApiKey | null | undefined): ApiKey {
  if (!key) throw new StartupError(`There is no key with the id ${id}. petstore keys list shows all.`);
  return key;
}

function expectDataFolder({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== undefined || existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) return;
  throw new StartupError(
    `There is no data folder at ${resolve(dataDir)}, and so no key. The service and petstore keys create make one.`,
  );
}
