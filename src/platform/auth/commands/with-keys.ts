import { DatabaseConfig } from '../../database/database.config.js';
import { Config } from '../../config/config.js';
import { StartupError } from '../../config/startup-error.js';
import type { Int64 } from '../../json/int64.js';
import { requireDataFolder } from '../../database/require-data-folder.js';
import { keyId } from './key-options.js';
import { type KeyServices, withKeyServices } from './key-services.js';

/** Runs work with the key services. @throws StartupError */
export function withKeys<T>(work: (services: KeyServices) => Promise<T>): Promise<T> {
  const config = new Config();
  requireDataFolder(config.read(DatabaseConfig), 'keys');
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
