import { type Command, Option } from 'commander';
import { hours } from '../../kernel/clock/duration.js';
import { duration, keyId } from './key-arguments.js';
import { describeKey } from './key-views.js';
import { print } from './print.js';
import { existing, withKeys } from './with-keys.js';

interface BanOptions {
  /** Milliseconds. */
  readonly for: number;
  readonly json?: true;
}

/** `petstore keys ban` and `petstore keys unban` */
export function addBanCommands(keys: Command): void {
  keys
    .command('ban <id>')
    .description('Refuse a key for a while. A longer ban that it has already stays.')
    .addOption(
      new Option('--for <duration>', 'such as 90s, 15m, 2h or 7d')
        .argParser(duration)
        .default(hours(1), '1h'),
    )
    .option('--json', 'print one JSON object')
    .action(ban);
  keys
    .command('unban <id>')
    .description('Lift a ban and forget the ones before it. The quota stays as it was used.')
    .option('--json', 'print one JSON object')
    .action(unban);
}

async function ban(id: string, options: BanOptions): Promise<void> {
  const number = keyId(id);
  const endsAt = new Date(Date.now() + options.for);
  const key = existing(id, await withKeys(({ keys }) => keys.ban(number, endsAt)));
  print(
    options.json,
    describeKey(key),
    () => `Key ${id} is banned until ${key.banEndsAt?.toISOString() ?? ''}.`,
  );
}

async function unban(id: string, { json }: { json?: true }): Promise<void> {
  const number = keyId(id);
  const key = existing(id, await withKeys(({ keys }) => keys.unban(number)));
  print(json, describeKey(key), () => `Key ${id} is not banned.`);
}
