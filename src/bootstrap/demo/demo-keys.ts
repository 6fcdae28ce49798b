import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiKeysService } from '../../auth/api-keys.service.js';
import { type Plan, PLAN_NAMES } from '../../auth/plans.js';

type DemoKeys = Record<Plan, string>;

const FILE = 'demo-keys.json';
const OWNER_ONLY = 0o600;
const ENTERPRISE_LIMITS = { perMinute: 5_000, perDay: 1_000_000 };

/** One key for each plan, the same at every start: the data folder keeps the secrets. */
export async function demoKeys(keys: ApiKeysService, dataDir: string): Promise<DemoKeys> {
  const path = join(dataDir, FILE);
  return (await stored(path)) ?? (await create(keys, path));
}

async function stored(path: string): Promise<DemoKeys | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as DemoKeys);
  } catch {
    return undefined;
  }
}

async function create(keys: ApiKeysService, path: string): Promise<DemoKeys> {
  const created = {} as DemoKeys;
  for (const plan of PLAN_NAMES) {
    const limits = plan === 'enterprise' ? ENTERPRISE_LIMITS : undefined;
    const { secret } = await keys.create({ name: `demo ${plan}`, plan, limits });
    created[plan] = secret;
  }
  await writeFile(`${path}.new`, `${JSON.stringify(created, null, 2)}\n`, { mode: OWNER_ONLY });
  await rename(`${path}.new`, path);
  return created;
}
