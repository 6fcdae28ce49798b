import { type Command, Option } from 'commander';
import { hours } from '../../clock/duration.js';
import { confirm, isOnTerminal } from '../../config/confirm.js';
import { type Json, print, visible } from '../../json/print.js';
import { addCreateCommand } from './create.command.js';
import { addHistoryCommand } from './history.command.js';
import { duration } from './key-options.js';
import { describeKey, keyDetails, keysTable } from './key-views.js';
import { addRotateCommand } from './rotate.command.js';
import { addUpdateCommand } from './update.command.js';
import { withKey, withKeys } from './with-keys.js';

interface BanOptions extends Json {
  /** Milliseconds. */
  readonly for: number;
}

/** `petstore keys …` */
export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('Manage API keys.');
  const onOneKey = (name: string, description: string): Command =>
    keys.command(`${name} <id>`).description(description).option('--json', 'print one JSON object');
  addCreateCommand(keys);
  keys.command('list').description('List all keys.').option('--json', 'print a JSON array').action(list);
  onOneKey('show', 'Show one key.').action(show);
  addUpdateCommand(keys);
  addRotateCommand(keys);
  onOneKey('revoke', 'Revoke a key immediately and permanently. On a terminal, the command asks first.')
    .option('--yes', 'do not ask')
    .action(revoke);
  onOneKey('ban', 'Ban a key temporarily, unless it already has a longer ban.')
    .addOption(
      new Option('--for <duration>', 'length of the ban, such as 90s, 15m, 2h or 7d')
        .argParser(duration)
        .default(hours(1), '1h'),
    )
    .action(ban);
  onOneKey('unban', 'Lift a ban and forget earlier ones. The used quota stays.').action(unban);
  addHistoryCommand(keys);
}

async function list({ json }: Json): Promise<void> {
  const all = await withKeys(({ keys }) => keys.list());
  print(json, all.map(describeKey), () => keysTable(all));
}

async function show(id: string, { json }: Json): Promise<void> {
  const key = await withKey(id, ({ keys }, number) => keys.find(number));
  print(json, describeKey(key), () => keyDetails(key));
}

async function revoke(id: string, { json, yes }: Json & { readonly yes?: true }): Promise<void> {
  const key = await withKey(id, async ({ keys }, number) => {
    const found = await keys.find(number);
    if (found?.revokedAt === null && !yes && isOnTerminal())
      await confirm(`Revoke key ${id} (${found.plan}, ${visible(found.name)}) permanently?`);
    return keys.revoke(number);
  });
  print(json, describeKey(key), () => `Key ${id} is revoked.`);
}

async function ban(id: string, options: BanOptions): Promise<void> {
  const endsAt = new Date(Date.now() + options.for);
  const key = await withKey(id, ({ keys }, number) => keys.ban(number, endsAt));
  const until = key.banEndsAt?.toISOString() ?? '';
  print(options.json, describeKey(key), () => `Key ${id} is banned until ${until}.`);
}

async function unban(id: string, { json }: Json): Promise<void> {
  const key = await withKey(id, ({ keys }, number) => keys.unban(number));
  print(json, describeKey(key), () => `Key ${id} is no longer banned.`);
}
