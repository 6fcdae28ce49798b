import { type Command, Option } from 'commander';
import { hours } from '../../../kernel/clock/duration.js';
import { duration } from '../../../kernel/terminal/arguments.js';
import { confirm, isOnTerminal } from '../../../kernel/terminal/confirm.js';
import { UsageError } from '../../../kernel/config/startup-error.js';
import type { CommandDatabase } from '../../../data/database/command-database.js';
import { type Json, print, visible } from '../../../kernel/terminal/print.js';
import { type ApiKey, previousSecretEnd } from '../api-key.entity.js';
import type { KeyEdit } from '../api-keys.service.js';
import type { Plan } from '../../plans/plans.js';
import { SCOPES } from '../scopes.js';
import { addHistoryCommand } from './history.command.js';
import { customLimits, expiryAndScopes, keyOptions, type KeyOptions, overlap } from './key-options.js';
import { describeKey, keyDetails, keysTable } from './key-views.js';
import { withKey, withKeys } from './with-keys.js';
import { service } from '../../../kernel/config/service.js';

interface CreateOptions extends KeyOptions, Json {
  readonly plan: Plan;
  readonly name: string;
}

interface RotateOptions extends Json {
  /** Milliseconds. */
  readonly overlap: number;
  readonly replace: 'newest' | 'old';
}

interface BanOptions extends Json {
  /** Milliseconds. */
  readonly for: number;
}

interface RevokeOptions extends Json {
  readonly yes?: true;
}

const REQUIRED = ['--plan', '--name'];

/** `petstore keys …` @returns the command, for subcommands of other modules */
export function addKeysCommand(program: Command, database: CommandDatabase): Command {
  const keys = program.command('keys').description('Manage API keys.');
  const onOneKey = (name: string, description: string): Command =>
    keys.command(`${name} <id>`).description(description).option('--json', 'print one JSON object');
  const creation = keys
    .command('create')
    .usage('--plan <plan> --name <name> [options]')
    .description(
      'Create a key and show it once. By default it never expires and has all scopes that exist now.',
    );
  for (const option of keyOptions())
    creation.addOption(option.makeOptionMandatory(REQUIRED.includes(option.long ?? '')));
  creation
    .option('--json', 'print one JSON object')
    .action((options: CreateOptions) => create(database, options));
  keys
    .command('list')
    .description('List all keys.')
    .option('--json', 'print a JSON array')
    .action((options: Json) => list(database, options));
  onOneKey('show', 'Show one key.').action((id: string, options: Json) => show(database, id, options));
  const change = onOneKey('update', 'Change a key. Omitted values and the used quota stay the same.');
  for (const option of keyOptions()) change.addOption(option);
  change.action((id: string, options: KeyOptions & Json) => update(database, id, options));
  onOneKey(
    'rotate',
    'Give a key a new secret and show it once. Its id, quota and bans stay. The old secret works until the overlap ends. If the key already has two secrets, the new one replaces the newest.',
  )
    .addOption(
      new Option(
        '--overlap <duration>',
        'how long the old secret still works: 90s, 15m, 2h, at most 30d, or 0',
      )
        .argParser(overlap)
        .default(hours(24), '24h'),
    )
    .addOption(
      new Option('--replace <secret>', 'if two secrets are valid: which one ends now')
        .choices(['newest', 'old'])
        .default('newest'),
    )
    .action((id: string, options: RotateOptions) => rotate(database, id, options));
  onOneKey('revoke', 'Revoke a key immediately and permanently. On a terminal, the command asks first.')
    .option('--yes', 'do not ask')
    .action((id: string, options: RevokeOptions) => revoke(database, id, options));
  onOneKey('ban', 'Ban a key temporarily, unless it already has a longer ban.')
    .addOption(
      new Option('--for <duration>', 'length of the ban, such as 90s, 15m, 2h or 7d')
        .argParser(duration)
        .default(hours(1), '1h'),
    )
    .action((id: string, options: BanOptions) => ban(database, id, options));
  onOneKey('unban', 'Lift a ban and forget earlier ones. The used quota stays.').action(
    (id: string, options: Json) => unban(database, id, options),
  );
  addHistoryCommand(keys, database);
  return keys;
}

async function list(database: CommandDatabase, { json }: Json): Promise<void> {
  const all = await withKeys(database, ({ keys }) => keys.list());
  print(json, all.map(describeKey), () => keysTable(all));
}

async function show(database: CommandDatabase, id: string, { json }: Json): Promise<void> {
  const key = await withKey(database, id, ({ keys }, number) => keys.find(number));
  print(json, describeKey(key), () => keyDetails(key));
}

async function revoke(database: CommandDatabase, id: string, { json, yes }: RevokeOptions): Promise<void> {
  const key = await withKey(database, id, async ({ keys }, number) => {
    const found = await keys.find(number);
    if (found?.revokedAt === null && !yes && isOnTerminal())
      await confirm(`Revoke key ${id} (${found.plan}, ${visible(found.name)}) permanently?`);
    return keys.revoke(number);
  });
  print(json, describeKey(key), () => `Key ${id} is revoked.`);
}

async function ban(database: CommandDatabase, id: string, options: BanOptions): Promise<void> {
  const endsAt = new Date(Date.now() + options.for);
  const key = await withKey(database, id, ({ keys }, number) => keys.ban(number, endsAt));
  const until = key.banEndsAt?.toISOString() ?? '';
  print(options.json, describeKey(key), () => `Key ${id} is banned until ${until}.`);
}

async function unban(database: CommandDatabase, id: string, { json }: Json): Promise<void> {
  let wasBanned = false;
  const key = await withKey(database, id, async ({ keys }, number) => {
    wasBanned = Number((await keys.find(number))?.banEndsAt) > Date.now();
    return keys.unban(number);
  });
  print(json, describeKey(key), () =>
    wasBanned
      ? `Key ${id} is no longer banned.`
      : `Key ${id} was not banned. Its earlier bans are forgotten.`,
  );
}

async function create(database: CommandDatabase, { json, ...options }: CreateOptions): Promise<void> {
  const { plan, name } = options;
  const newKey = {
    plan,
    name,
    limits: customLimits(plan, options),
    ...expiryAndScopes({ scopes: [...SCOPES], ...options }),
  };
  const { key, secret } = await withKeys(database, ({ keys }) => keys.create(newKey));
  print(
    json,
    { ...describeKey(key), key: secret },
    () => `Key ${String(key.id)} (${plan}), shown only once:\n${secret}`,
  );
}

async function update(
  database: CommandDatabase,
  id: string,
  { json, ...options }: KeyOptions & Json,
): Promise<void> {
  if (Object.keys(options).length === 0) {
    throw new UsageError(
      `No change given for key ${id}. ${service().program} keys update --help lists the options.`,
    );
  }
  const key = await withKey(database, id, ({ keys }, number) =>
    keys.update(number, (key) => changes(key, options)),
  );
  print(json, describeKey(key), () => `Key ${id} is now:\n${keyDetails(key)}`);
}

/** The plan and limits change only if an option names them. */
function changes(key: ApiKey, options: KeyOptions): KeyEdit {
  const { name, plan = key.plan, perMinute, perDay } = options;
  const same = plan === key.plan && perMinute === undefined && perDay === undefined;
  return {
    name,
    plan: same ? undefined : { plan, limits: customLimits(plan, { perMinute, perDay }) },
    ...expiryAndScopes(options),
  };
}

async function rotate(database: CommandDatabase, id: string, options: RotateOptions): Promise<void> {
  const { overlap: milliseconds, replace, json } = options;
  const oldEndsAt = milliseconds > 0 ? new Date(Date.now() + milliseconds) : undefined;
  const inUse = replace === 'newest' ? 'oldest' : 'newest';
  const { key, secret } = await withKey(database, id, ({ keys }, number) =>
    keys.rotate(number, oldEndsAt, { inUse }),
  );
  const end = previousSecretEnd(key);
  const old = end ? `works until ${end.toISOString()}` : 'has ended';
  print(
    json,
    { ...describeKey(key), key: secret },
    () => `Key ${id} has a new secret, shown only once:\n${secret}\nThe old secret ${old}.`,
  );
}
