// For TypeORM's own command line, after `npm run build`: npx typeorm migration:show -d dist/src/platform/database/data-source.js
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { Config } from '../config/config.js';
import { DatabaseConfig } from './database.config.js';
import { MIGRATIONS } from './migrations/migration-state.js';
import { openUnmigrated } from './open-database.js';
import { connectionOptions } from './pool/connection-options.js';

/** Connects to `DATABASE_URL` or to the embedded PostgreSQL, which it starts if necessary. Does not run migrations. */
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
      extra: {}, // without timeouts: a migration may take long
      entities: [join(import.meta.dirname, '../../**/*.entity.js')],
      migrations: [...MIGRATIONS],
    });
  }

  override async destroy(): Promise<void> {
    await super.destroy();
    await this.stop();
  }
}

export default await CommandDataSource.open();
