import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { pooledConnections } from './pooled-connections.js';
import { SharedDataSource } from './shared-transaction.js';

@Module({})
export class DatabaseModule {
  /** Connects to a migrated database, and closes the connections when the application closes. */
  static with(url: string): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ ...pooledConnections(url), autoLoadEntities: true, retryAttempts: 0 }),
          dataSourceFactory: (options = pooledConnections(url)) =>
            Promise.resolve(new SharedDataSource(options)),
        }),
      ],
    };
  }
}
