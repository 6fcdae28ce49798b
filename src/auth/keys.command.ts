import { Command, InvalidArgumentError, Option } from 'commander';
import { StartupError } from '../start/startup.error.js';
import { parseInt64 } from '../json/int64.js';
import type { ApiKey } from './api-key.entity.js';
import type { ApiKeysService } from './api-keys.service.js';
import { describeKey, keysTable } from './key-views.js';
import { type Limits, type Plan, PLAN_NAMES } from './plans.js';
import { print } from './print.js';

interface CreateOptions {
  readonly plan: Plan;
  readonly name: string;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly json?: true;
}

/** `petstore keys ...` */
export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('Create, list, show and revoke API keys.');
  keys
    .command('create')
    .description('Make a key. The key itself is shown this once.')
    .addOption(new Option('--plan <plan>', 'what it may ask for').choices(PLAN_NAMES).makeOptionMandatory())
    .requiredOption('--name <name>', 'whom or what it is for', keyName)
    .option('--per-minute <n>', 'requests per minute, for enterprise', positive)
    .option('--per-day <n>', 'requests per UTC day, for enterprise', positive)
    .option('--json', 'print one JSON object')
    .action(create);
  keys.command('list').description('List all keys.').option('--json', 'print a JSON array').action(list);
  keys
    .command('show <id>')
    .description('Show one key.')
    .option('--json', 'print one JSON object')
    .action(show);
  keys
    .command('revoke <id>')
    .description('End a key at once and for good.')
    .option('--json', 'print one JSON object')
    .action(revoke);
}

async function create({ plan, name, json, ...custom }: CreateOptions): Promise<void> {
  const limits = customLimits(plan, custom);
  const { key, secret } = await withKeys((keys) => keys.create({ plan, name, limits }));
  print(
    json,
    { ...describeKey(key), key: secret },
    () => `Key ${String(key.id)} (${plan}), shown this once:\n${secret}`,
  );
}

async function list({ json }: { json?: true }): Promise<void> {
  const keys = await withKeys((service) => service.list());
  print(json, keys.map(describeKey), () => keysTable(keys));
}

async function show(id: string, { json }: { json?: true }): Promise<void> {
  const number = keyId(id);
  const key = existing(id, await withKeys((keys) => keys.find(number)));
  print(json, describeKey(key), () => keysTable([key]));
}

async function revoke(id: string, { json }: { json?: true }): Promise<void> {
  const number = keyId(id);
  const key = existing(id, await withKeys((keys) => keys.revoke(number)));
  print(json, describeKey(key), () => `Key ${id} is revoked.`);
}

/** Loads the application only now: help, plans and typing errors answer without it, four times as fast. */
async function withKeys<T>(work: (keys: ApiKeysService) => Promise<T>): Promise<T> {
  const application = await import('./cli.module.js');
  return application.withKeys(work);
}

function customLimits(plan: Plan, { perMinute, perDay }: Partial<Limits>): Limits | undefined {
  if (plan !== 'enterprise') {
    if (perMinute === undefined && perDay === undefined) return undefined;
    throw new StartupError(
      `The limits of the ${plan} plan are fixed: --per-minute and --per-day are for enterprise.`,
    );
  }
  if (perMinute !== undefined && perDay !== undefined) return { perMinute, perDay };
  throw new StartupError('An enterprise key needs both --per-minute and --per-day.');
}

function existing(id: string, key: ApiKey | null): ApiKey {
  if (!key) throw new StartupError(`There is no key with the id ${id}. petstore keys list shows all.`);
  return key;
}

function keyId(id: string) {
  const parsed = parseInt64(id);
  if (parsed === undefined)
    throw new StartupError(
      `${JSON.stringify(id)} is no key id: ids are whole numbers, as petstore keys list shows them.`,
    );
  return parsed;
}

function keyName(value: string): string {
  const length = Array.from(value).length;
  if (length >= 1 && length <= 200 && value.trim() !== '') return value;
  throw new InvalidArgumentError('A name has 1 to 200 characters, not only white space.');
}

function positive(value: string): number {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= 2_147_483_647) return number;
  throw new InvalidArgumentError('It must be a whole number from 1 to 2147483647.');
}
