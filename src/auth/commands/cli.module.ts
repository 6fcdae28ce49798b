import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../../config/config.js';
import { DatabaseModule } from '../../database/database.module.js';
import { joinDatabase } from '../../database/open-database.js';
import { DayLedger } from '../../rate-limit/day-ledger.js';
import { ApiKey } from '../api-key.entity.js';
import { ApiKeysService } from '../api-keys.service.js';

/** What the command line needs of the application: the keys and their database, and none of what serves requests. */
@Module({})
export class CliModule {
  static with(databaseUrl: string): DynamicModule {
    return {
      module: CliModule,
      imports: [DatabaseModule.with(databaseUrl), TypeOrmModule.forFeature([ApiKey])],
      providers: [ApiKeysService, DayLedger],
    };
  }
}

export interface CliServices {
  readonly keys: ApiKeysService;
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
    const services = { keys: app.get(ApiKeysService), ledger: app.get(DayLedger) };
    return await work(services).finally(() => app.close());
  } finally {
    await database.close();
  }
}
