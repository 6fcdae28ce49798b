import { type Command, Option } from 'commander';
import { hours } from '../../kernel/clock/duration.js';
import { durationOrNone, keyId } from './key-arguments.js';
import { describeKey } from './key-views.js';
import { print } from './print.js';
import { existing, withKeys } from './with-keys.js';

interface RotateOptions {
  /** Milliseconds. */
  readonly overlap: number;
  readonly json?: true;
}

/** `petstore keys rotate` */
export function addRotateCommand(keys: Command): void {
  keys
    .command('rotate <id>')
    .description(
      'Give a key a new secret, shown this once. Id, quota and bans stay. The old secret works on for a while; one that is older ends now.',
    )
    .addOption(
      new Option('--overlap <duration>', 'how long the old one works: 90s, 15m, 2h, 7d, or 0 to end it now')
        .argParser(durationOrNone)
        .default(hours(24), '24h'),
    )
    .option('--json', 'print one JSON object')
    .action(rotate);
}

async function rotate(id: string, { overlap, json }: RotateOptions): Promise<void> {
  const number = keyId(id);
  const oldEndsAt = overlap > 0 ? new Date(Date.now() + overlap) : undefined;
  const issued = await withKeys(({ keys }) => keys.rotate(number, oldEndsAt));
  const key = existing(id, issued?.key);
  const secret = issued?.secret ?? '';
  print(
    json,
    { ...describeKey(key), key: secret },
    () => `Key ${id} has a new secret, shown this once:\n${secret}\n${oldOne(oldEndsAt)}`,
  );
}

const oldOne = (endsAt?: Date): string =>
  endsAt ? `The old one works until ${endsAt.toISOString()}.` : 'The old one has ended.';
