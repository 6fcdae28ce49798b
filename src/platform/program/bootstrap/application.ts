import type { INestApplicationContext } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Config, type Settings } from '../../kernel/config/config.js';
import type { Migration } from '../../data/database/migrations/migration-state.js';
import type { Feature } from './feature.js';

/**
 * What `main.ts` and `cli.ts` hand to the platform, which knows nothing else of the service that it runs.
 */
export interface Application {
  /** The settings of the platform. */
  readonly settings: readonly Settings[];
  /** In the order in which they run. */
  readonly migrations: readonly Migration[];
  /** Loads the modules of the service, which takes most of the start. */
  readonly loadFeatures: () => Promise<readonly Feature[]>;
  /** Makes the application of the service. It does not listen yet. */
  readonly createApp: Create<NestExpressApplication>;
  /** Makes that of `petstore worker`, which works from now on. */
  readonly createWorker: Create<INestApplicationContext>;
}

type Create<T> = (config: Config, databaseUrl: string) => Promise<T>;

/**
 * All settings: those of the platform and of the modules. Invalid values are replaced with their defaults and
 * listed in `problems`; which variables are misspelled is known now, too.
 */
export function inspectSettings(
  settings: readonly Settings[],
  features: readonly Feature[],
  config = new Config(),
): Config {
  const declared = features.flatMap((feature) => feature.settings ?? []);
  for (const each of [...settings, ...declared]) config.inspect(each);
  return config;
}
