import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiKeysRepository } from '../../../access/keys/api-keys.repository.js';
import type { ApiKeysService } from '../../../access/keys/api-keys.service.js';
import { isCustom, type Plan, planNames } from '../../../access/plans/plans.js';
import { hashSecret } from '../../../access/keys/secret.js';

/** By the name of the plan, which may be one of another version. */
type DemoKeys = Readonly<Partial<Record<string, string>>>;

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
 * Creates a key for each plan that has none. The secrets are stored in the data folder, so that every start
 * prints the same ones.
 * @param stored those of an earlier start, whose plans may have been others
 */
export async function createDemoKeys(
  keys: ApiKeysService,
  dataDir: string,
  stored: DemoKeys = {},
): Promise<Readonly<Record<string, string>>> {
  const ofPlans: Record<string, string> = {};
  for (const plan of planNames()) ofPlans[plan] = stored[plan] ?? (await keys.create(demoKey(plan))).secret;
  const path = join(dataDir, FILE);
  await writeFile(`${path}.new`, `${JSON.stringify(ofPlans, null, 2)}\n`, { mode: OWNER_ONLY });
  await rename(`${path}.new`, path);
  return ofPlans;
}

const demoKey = (plan: Plan) => ({
  name: `demo ${plan}`,
  plan,
  limits: isCustom(plan) ? CUSTOM_LIMITS : undefined,
});

/** Whether a key is still valid: it may have been rotated or revoked. */
export async function works(keys: ApiKeysRepository, secret: string): Promise<boolean> {
  const found = await keys.findByHash(hashSecret(secret));
  return found !== null && (found.endsAt === null || found.endsAt.getTime() > Date.now());
}
