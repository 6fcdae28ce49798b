import { DatabaseConfig } from '../../database/database.config.js';
import { Config } from '../../kernel/config/config.js';
import { StartupError } from '../../kernel/errors/common.errors.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { requireDataFolder } from '../require-data-folder.js';
import { keyId } from './key-options.js';
import type { KeyServices } from './key-services.js';

/**
 * Runs work with the key services. Loads TypeORM only now: help, plans and usage errors are four times as fast without it.
 * @param options `createsDataFolder`: whether to create a missing data folder
 * @throws StartupError
 */
export async function withKeys<T>(
  work: (services: KeyServices) => Promise<T>,
  { createsDataFolder = false } = {},
): Promise<T> {
  const config = new Config();
  if (!createsDataFolder) requireDataFolder(config.read(DatabaseConfig), 'keys');
  const { withKeyServices } = await import('./key-services.js');
  return withKeyServices(config, work);
}

/** Runs work on one key. @throws StartupError also if the result is null, because no key has the id */
export async function withKey<T>(
  id: string,
  work: (services: KeyServices, id: Int64) => Promise<T | null>,
): Promise<T> {
  const number = keyId(id);
  const result = await withKeys((services) => work(services, number));
  if (result !== null) return result;
  throw new StartupError(`There is no key with the id ${id}. petstore keys list shows all.`);
}
