import { Command, Option } from 'commander';
import { StartupError } from '../../start/startup.error.js';
import { addBanCommands } from './ban.command.js';
import { keyId, keyName, positive } from './key-arguments.js';
import { describeKey, keysTable } from './key-views.js';
import { type Limits, type Plan, PLAN_NAMES } from '../plans.js';
import { print } from './print.js';
import { existing, withKeys } from './with-keys.js';

interface CreateOptions {
  readonly plan: Plan;
  readonly name: string;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly json?: true;
}

/** `petstore keys ...` */
export function addKeysCommand(program: Command): Command {
  const keys = program.command('keys').description('The life of API keys.');
  keys
    .command('create')
    .usage('--plan <plan> --name <name> [options]')
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
  addBanCommands(keys);
  return keys;
}

async function create({ plan, name, json, ...custom }: CreateOptions): Promise<void> {
  const limits = customLimits(plan, custom);
  const { key, secret } = await withKeys(({ keys }) => keys.create({ plan, name, limits }));
  print(
    json,
    { ...describeKey(key), key: secret },
    () => `Key ${String(key.id)} (${plan}), shown this once:\n${secret}`,
  );
}

async function list({ json }: { json?: true }): Promise<void> {
  const all = await withKeys(({ keys }) => keys.list());
  print(json, all.map(describeKey), () => keysTable(all));
}

async function show(id: string, { json }: { json?: true }): Promise<void> {
  const number = keyId(id);
  const key = existing(id, await withKeys(({ keys }) => keys.find(number)));
  print(json, describeKey(key), () => keysTable([key]));
}

async function revoke(id: string, { json }: { json?: true }): Promise<void> {
  const number = keyId(id);
  const key = existing(id, await withKeys(({ keys }) => keys.revoke(number)));
  print(json, describeKey(key), () => `Key ${id} is revoked.`);
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
