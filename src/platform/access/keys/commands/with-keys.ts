import type { DataSource } from 'typeorm';
import { Config } from '../../../kernel/config/config.js';
import { StartupError } from '../../../kernel/config/startup-error.js';
import type { CommandDatabase } from '../../../data/database/command-database.js';
import type { Int64 } from '../../../kernel/json/int64.js';
import { ApiKey } from '../api-key.entity.js';
import { ApiKeysService } from '../api-keys.service.js';
import { KeysConfig } from '../keys.config.js';
import { KeyHistoryEntry } from '../key-history.entity.js';
import { AuditActor, KeyHistory } from '../key-history.js';
import { keyId } from './key-options.js';
import { service } from '../../../kernel/config/service.js';

/** The services of the application that the commands use. */
interface KeyServices {
  readonly keys: ApiKeysService;
  readonly history: KeyHistory;
  readonly dataSource: DataSource;
}

/** Runs work with the key services. The service need not be running. @throws StartupError */
export function withKeys<T>(
  database: CommandDatabase,
  work: (services: KeyServices) => Promise<T>,
): Promise<T> {
  const { actor } = new Config().read(KeysConfig);
  return database.use([ApiKey, KeyHistoryEntry], (dataSource) => {
    const history = new KeyHistory(dataSource, new AuditActor(command(), actor));
    return work({ keys: new ApiKeysService(dataSource, history), history, dataSource });
  });
}

/** Runs work on one key. @throws StartupError also if the result is null, because no key has the id */
export async function withKey<T>(
  database: CommandDatabase,
  id: string,
  work: (services: KeyServices, id: Int64) => Promise<T | null>,
): Promise<T> {
  const number = keyId(id);
  const result = await withKeys(database, (services) => work(services, number));
  if (result !== null) return result;
  throw new StartupError(`There is no key with the id ${id}. ${service().program} keys list shows all.`);
}

/** The command, such as `petstore keys rotate`, without its arguments. */
const command = (): string => [service().program, ...process.argv.slice(2, 4)].join(' ');
