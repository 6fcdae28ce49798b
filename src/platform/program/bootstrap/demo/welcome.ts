import type { INestApplication } from '@nestjs/common';
import { service } from '../../../kernel/config/service.js';
import { ApiKeysRepository } from '../../../access/keys/api-keys.repository.js';
import { ApiKeysService } from '../../../access/keys/api-keys.service.js';
import { DatabaseConfig } from '../../../data/database/database.config.js';
import { Config } from '../../../kernel/config/config.js';
import type { Database } from '../../../data/database/open-database.js';
import { PublicUrl } from '../../../http/core/public-url.js';
import { createDemoKeys, storedDemoKeys, works } from './demo-keys.js';
import { DiscoveryService } from '@nestjs/core';
import { SampleData, type Samples } from '../../../data/database/sample-data.js';

/** Returns the welcome text. Adds sample data and demo keys to a new embedded database. */
export async function welcome(app: INestApplication, { embedded }: Database): Promise<string> {
  const { base } = app.get(PublicUrl);
  if (!embedded) return `\nThe ${service().noun} listens at ${base}, its Swagger UI at ${base}/docs\n`;
  const keys = await demoKeys(app);
  const key = keys.find(({ secret }) => secret !== undefined)?.secret ?? '<API_KEY>';
  return `
The ${service().noun} listens. Swagger UI: ${base}/docs

Demo keys, one for each plan:
${keys.map(({ plan, secret }) => `  ${plan.padEnd(10)}  ${secret ?? 'rotated, revoked or expired'}`).join('\n')}

Try it:
  curl -i -H 'Authorization: Bearer ${key}' '${base}${service().firstRequest}'

Ctrl-C stops it.`;
}

interface DemoKey {
  readonly plan: string;
  /** Absent if the key is no longer valid. */
  readonly secret: string | undefined;
}

async function demoKeys(app: INestApplication): Promise<DemoKey[]> {
  const { dataDir } = app.get(Config).read(DatabaseConfig);
  const stored = await storedDemoKeys(dataDir);
  if (!stored) await addSampleData(app);
  const keys = await createDemoKeys(app.get(ApiKeysService), dataDir, stored);
  const table = app.get(ApiKeysRepository);
  return Promise.all(
    Object.entries(keys).map(async ([plan, secret]) => ({
      plan,
      secret: (await works(table, secret)) ? secret : undefined,
    })),
  );
}

/** Adds the samples of every feature. */
export async function addSampleData(app: INestApplication): Promise<void> {
  for (const { instance } of app.get(DiscoveryService).getProviders({ metadataKey: SampleData.KEY }))
    await (instance as Samples).add();
}
