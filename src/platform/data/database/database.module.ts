// database/ connects to PostgreSQL, migrates it, and says what is wrong with it. No table of a feature.

import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, QueryFailedError } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { TimeLimits } from '../../kernel/clock/time-limits.js';
import type { Config } from '../../kernel/config/config.js';
import { DatabaseConfig, DEFAULT_POOL_SIZE } from './database.config.js';
import { ErrorMappers } from '../../kernel/errors/error-mappers.js';
import { DomainError } from '../../kernel/errors/domain-error.js';
import { ServiceUnavailable } from '../../kernel/errors/common.errors.js';
import type { Migration } from './migrations/migration-state.js';
import { isDatabaseUnavailable, lossOf, throwConnectionError } from './database-unavailable.js';
import { connectionOptions } from './pool/connection-options.js';
import { PoolWatch } from './pool/pool-watch.js';
import { ServicePool } from './pool/service-pool.js';

/** SQLSTATE of U+0000 in a text and in JSON. `@Text()` rejects it earlier. */
const UNSTORABLE = ['22021', '22P05'];

const isUnstorableText = (thrown: unknown): boolean =>
  thrown instanceof QueryFailedError &&
  UNSTORABLE.includes(String((thrown.driverError as { code?: string }).code));

class UnstorableText extends DomainError {
  constructor() {
    super(
      'invalid',
      'validation_failed',
      'A text contains U+0000 or another character that cannot be stored.',
    );
  }
}

@Module({})
export class DatabaseModule {
  constructor(errors: ErrorMappers) {
    errors.add((thrown) =>
      isDatabaseUnavailable(thrown) ? new ServiceUnavailable({ cause: lossOf(thrown) }) : undefined,
    );
    errors.add((thrown) => (isUnstorableText(thrown) ? new UnstorableText() : undefined));
  }

  /**
   * Connects to a migrated database, and disconnects when the application closes.
   * @param migrations those that must have run for the service to be ready
   */
  static with(config: Config, url: string, migrations: readonly Migration[]): DynamicModule {
    const settings = config.read(DatabaseConfig);
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [TimeLimits],
          useFactory: (limits: TimeLimits) => ({
            ...poolOptions(url, settings, limits),
            migrations: [...migrations],
            autoLoadEntities: true,
            retryAttempts: 0,
          }),
          // One line: a pooler may be down although DATABASE_DIRECT_URL responds.
          dataSourceFactory: (options) =>
            new DataSource(options as PostgresDataSourceOptions).initialize().catch(throwConnectionError),
        }),
      ],
      providers: [PoolWatch],
      exports: [PoolWatch],
    };
  }
}

/** The options of the connection pool that requests share. */
export function poolOptions(
  url: string,
  settings?: Partial<DatabaseConfig>,
  { connection, query } = new TimeLimits(),
): PostgresDataSourceOptions {
  const options = connectionOptions(url, settings);
  return {
    ...options,
    connectTimeoutMS: connection,
    extra: { ...options.extra, queryTimeout: query },
    poolSize: settings?.poolSize ?? DEFAULT_POOL_SIZE,
    driver: { Pool: ServicePool },
  };
}
