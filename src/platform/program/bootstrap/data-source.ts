import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { Config } from '../../kernel/config/config.js';
import { DatabaseConfig } from '../../data/database/database.config.js';
import { openUnmigrated } from '../../data/database/open-database.js';
import { connectionOptions } from '../../data/database/pool/connection-options.js';
import { PostgresClient } from '../../data/database/pool/postgres-client.js';
import { migrationsOf } from './migrations.js';
import type { ServiceDefinition } from './service-definition.js';

/**
 * Connects to `DATABASE_URL` or to the embedded PostgreSQL, which it starts if necessary. Does not run
 * migrations.
 * @param entities patterns of the files of a service's entities
 */
export async function openDataSource(
  service: ServiceDefinition,
  entities: readonly string[],
): Promise<DataSource> {
  const { directDatabaseUrl, databaseUrl, dataDir } = new Config().read(DatabaseConfig);
  const url = directDatabaseUrl ?? databaseUrl;
  const embedded = url === undefined ? await openUnmigrated(dataDir) : undefined;
  return new CommandDataSource(service, entities, url ?? embedded?.url ?? '', () => embedded?.stop());
}

class CommandDataSource extends DataSource {
  constructor(
    service: ServiceDefinition,
    entities: readonly string[],
    url: string,
    private readonly stop: () => Promise<void> | undefined,
  ) {
    super({
      ...connectionOptions(url),
      extra: { Client: PostgresClient }, // without timeouts: a migration may take long
      entities: [join(import.meta.dirname, '../../**/*.entity.js'), ...entities],
      migrations: [...migrationsOf(service)],
    });
  }

  override async destroy(): Promise<void> {
    await super.destroy();
    await this.stop();
  }
}
