import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../../config/config.js';
import { DatabaseModule } from '../../database/database.module.js';
import { joinDatabase } from '../../database/open-database.js';
import { DayLedger } from '../../rate-limit/day-ledger.js';
import { ApiKey } from '../api-key.entity.js';
import { ApiKeysService } from '../api-keys.service.js';
import { Author } from '../author.js';
import { KeyHistory } from '../key-history.js';
import { KeyHistoryEntry } from '../key-history.entity.js';

/** `petstore keys rotate`: what comes after may be the user's own words. */
const command = (): string => ['petstore', ...process.argv.slice(2, 4)].join(' ');

/** What the command line needs of the application: the keys and their database, and none of what serves requests. */
@Module({})
export class CliModule {
  static with(databaseUrl: string): DynamicModule {
    return {
      module: CliModule,
      imports: [DatabaseModule.with(databaseUrl), TypeOrmModule.forFeature([ApiKey, KeyHistoryEntry])],
      providers: [
        ApiKeysService,
        DayLedger,
        KeyHistory,
        { provide: Author, useFactory: () => new Author(command()) },
      ],
    };
  }
}

export interface CliServices {
  readonly keys: ApiKeysService;
  readonly history: KeyHistory;
  readonly ledger: DayLedger;
}

/** Runs one piece of work on the keys, beside a running service or without one. */
export async function withServices<T>(work: (services: CliServices) => Promise<T>): Promise<T> {
  const database = await joinDatabase(new Config());
  try {
    const app = await NestFactory.createApplicationContext(CliModule.with(database.url), {
      logger: ['error'],
      abortOnError: false,
    });
    const services = {
      keys: app.get(ApiKeysService),
      history: app.get(KeyHistory),
      ledger: app.get(DayLedger),
    };
    return await work(services).finally(() => app.close());
  } finally {
    await database.close();
  }
}
