import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { connectionOptions } from './connection-options.js';
import { SharedDataSource } from './shared-transaction.js';

@Module({})
export class DatabaseModule {
  /** Connects to a migrated database, and closes the connections when the application closes. */
  static with(url: string): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ ...connectionOptions(url), autoLoadEntities: true, retryAttempts: 0 }),
          dataSourceFactory: (options = connectionOptions(url)) =>
            Promise.resolve(new SharedDataSource(options)),
        }),
      ],
    };
  }
}
