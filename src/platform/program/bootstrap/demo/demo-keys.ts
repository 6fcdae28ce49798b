import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiKeysRepository } from '../../../access/keys/api-keys.repository.js';
import type { ApiKeysService } from '../../../access/keys/api-keys.service.js';
import { isCustom, type Plan, planNames } from '../../../access/plans/plans.js';
import { hashSecret } from '../../../access/keys/secret.js';

type DemoKeys = Readonly<Record<Plan, string>>;

const FILE = 'demo-keys.json';
const OWNER_ONLY = 0o600;
const CUSTOM_LIMITS = { perMinute: 5_000, perDay: 1_000_000 };

/** The demo keys that an earlier start stored in the data folder. */
export async function storedDemoKeys(dataDir: string): Promise<DemoKeys | undefined> {
  const text = await readFile(join(dataDir, FILE), 'utf8').catch(() => undefined);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as DemoKeys);
  } catch {
    return undefined;
  }
}

/**
 * Creates a key for each plan. The secrets are stored in the data folder, so that every start prints the same
 * ones.
 */
export async function createDemoKeys(keys: ApiKeysService, dataDir: string): Promise<DemoKeys> {
  const created = {} as Record<Plan, string>;
  for (const plan of planNames()) {
    const limits = isCustom(plan) ? CUSTOM_LIMITS : undefined;
    const { secret } = await keys.create({ name: `demo ${plan}`, plan, limits });
    created[plan] = secret;
  }
  const path = join(dataDir, FILE);
  await writeFile(`${path}.new`, `${JSON.stringify(created, null, 2)}\n`, { mode: OWNER_ONLY });
  await rename(`${path}.new`, path);
  return created;
}

/** Whether a key is still valid: it may have been rotated or revoked. */
export async function works(keys: ApiKeysRepository, secret: string): Promise<boolean> {
  const found = await keys.findByHash(hashSecret(secret));
  return found !== null && (found.endsAt === null || found.endsAt.getTime() > Date.now());
}
