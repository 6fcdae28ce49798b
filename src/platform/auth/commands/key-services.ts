import type { DataSource } from 'typeorm';
import type { Config } from '../../config/config.js';
import { ApiKey } from '../api-key.entity.js';
import { AuthConfig } from '../auth.config.js';
import { ApiKeysService } from '../api-keys.service.js';
import { KeyHistoryEntry } from '../key-history.entity.js';
import { AuditActor, KeyHistory } from '../key-history.js';
import { DatabaseConfig } from '../../database/database.config.js';
import { withDatabase } from '../../database/with-database.js';

/** The services of the application that the commands use. */
export interface KeyServices {
  readonly keys: ApiKeysService;
  readonly history: KeyHistory;
  readonly dataSource: DataSource;
}

/** Runs work with the key services. The service need not be running. @throws StartupError */
export const withKeyServices = <T>(config: Config, work: (services: KeyServices) => Promise<T>): Promise<T> =>
  withDatabase(
    config.read(DatabaseConfig),
    (dataSource) => work(servicesOn(dataSource, config.read(AuthConfig))),
    [ApiKey, KeyHistoryEntry],
  );

function servicesOn(dataSource: DataSource, { actor }: AuthConfig): KeyServices {
  const history = new KeyHistory(dataSource, new AuditActor(command(), actor));
  return { keys: new ApiKeysService(dataSource, history), history, dataSource };
}

/** The command, such as `petstore keys rotate`, without its arguments. */
const command = (): string => ['petstore', ...process.argv.slice(2, 4)].join(' ');
