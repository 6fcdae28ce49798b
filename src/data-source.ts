// For TypeORM's own command line, after `npm run build`:
// npx typeorm migration:show -d dist/src/data-source.js
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from './app.migrations.js';
import { Config } from './platform/kernel/config/config.js';
import { DatabaseConfig } from './platform/data/database/database.config.js';
import { openUnmigrated } from './platform/data/database/open-database.js';
import { connectionOptions } from './platform/data/database/pool/connection-options.js';
import { PostgresClient } from './platform/data/database/pool/postgres-client.js';

/**
 * Connects to `DATABASE_URL` or to the embedded PostgreSQL, which it starts if necessary. Does not run
 * migrations.
 */
class CommandDataSource extends DataSource {
  static async open(): Promise<DataSource> {
    const { directDatabaseUrl, databaseUrl, dataDir } = new Config().read(DatabaseConfig);
    const url = directDatabaseUrl ?? databaseUrl;
    const embedded = url === undefined ? await openUnmigrated(dataDir) : undefined;
    return new CommandDataSource(url ?? embedded?.url ?? '', () => embedded?.stop());
  }

  private constructor(
    url: string,
    private readonly stop: () => Promise<void> | undefined,
  ) {
    super({
      ...connectionOptions(url),
      extra: { Client: PostgresClient }, // without timeouts: a migration may take long
      entities: [join(import.meta.dirname, '**/*.entity.js')],
      migrations: [...MIGRATIONS],
    });
  }

  override async destroy(): Promise<void> {
    await super.destroy();
    await this.stop();
  }
}

export default await CommandDataSource.open();
