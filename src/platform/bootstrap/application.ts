import type { INestApplicationContext } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Config } from '../config/config.js';
import type { Migration } from '../database/migrations/migration-state.js';

/** What `service.ts` and `cli.ts` hand to the platform, which knows nothing else of the service that it runs. */
export interface Application {
  /** Reads all settings of the service. Invalid values are replaced with their defaults and listed in `problems`. */
  readonly inspectConfig: () => Config;
  /** In the order in which they run. */
  readonly migrations: readonly Migration[];
  /** Loads the modules of the service, which takes most of the start. */
  readonly loadApp: () => Promise<{ createApp: Create<NestExpressApplication> }>;
  readonly loadWorker: () => Promise<{ createWorker: Create<INestApplicationContext> }>;
}

type Create<T> = (config: Config, databaseUrl: string) => Promise<T>;
