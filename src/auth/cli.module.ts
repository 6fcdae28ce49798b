import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../config/config.js';
import { DatabaseModule } from '../database/database.module.js';
import { joinDatabase } from '../database/open-database.js';
import { ApiKey } from './api-key.entity.js';
import { ApiKeysService } from './api-keys.service.js';

/** What the command line needs of the application: the keys and their database, and none of what serves requests. */
@Module({})
export class CliModule {
  static with(databaseUrl: string): DynamicModule {
    return {
      module: CliModule,
      imports: [DatabaseModule.with(databaseUrl), TypeOrmModule.forFeature([ApiKey])],
      providers: [ApiKeysService],
    };
  }
}

/** Runs one piece of work on the keys, beside a running service or without one. */
export async function withKeys<T>(work: (keys: ApiKeysService) => Promise<T>): Promise<T> {
  const database = await joinDatabase(new Config());
  try {
    const app = await NestFactory.createApplicationContext(CliModule.with(database.url), {
      logger: ['error'],
      abortOnError: false,
    });
    return await work(app.get(ApiKeysService)).finally(() => app.close());
  } finally {
    await database.close();
  }
}
