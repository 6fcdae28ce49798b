import { DatabaseConfig } from '../../database/database.config.js';
import { Config } from '../../kernel/config/config.js';
import { StartupError } from '../../kernel/errors/common.errors.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { requireDataFolder } from '../require-data-folder.js';
import { keyId } from './key-options.js';
import type { KeyServices } from './key-services.js';

/**
 * Loads TypeORM only now: help, plans and usage errors are four times as fast without it. Only the command that creates a
 * key creates the data folder.
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

/** The same for one key. @throws StartupError also for an id that no key has, where the result is null */
export async function withKey<T>(
  id: string,
  work: (services: KeyServices, id: Int64) => Promise<T | null>,
): Promise<T> {
  const number = keyId(id);
  const result = await withKeys((services) => work(services, number));
  if (result !== null) return result;
  throw new StartupError(`There is no key with the id ${id}. petstore keys list shows all.`);
}
