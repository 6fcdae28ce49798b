import type { INestApplication } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiKeysService } from '../../auth/api-keys.service.js';
import { Config } from '../../kernel/config/config.js';
import type { Database } from '../../database/open-database.js';
import { PublicUrl } from '../../http/public-url.js';
import { demoKeys } from './demo-keys.js';
import { addSampleData } from './sample-data.js';

/** The welcome text. With the embedded database it adds sample data and demo keys. */
export async function welcome(app: INestApplication, { embedded }: Database): Promise<string> {
  const { base } = app.get(PublicUrl);
  if (!embedded) return `\nThe pet store listens at ${base}, its Swagger UI at ${base}/docs\n\n`;
  await addSampleData(app.get(DataSource));
  const keys = await demoKeys(app.get(ApiKeysService), app.get(Config).dataDir);
  return `
The pet store listens. Swagger UI: ${base}/docs

Demo keys, one for each plan:
${Object.entries(keys)
  .map(([plan, key]) => `  ${plan.padEnd(10)}  ${key}`)
  .join('\n')}

Try it:
  curl -i -H 'Authorization: Bearer ${keys.free}' '${base}/v1/pets?limit=3'

Ctrl-C stops it.
`;
}
