import { type Command, Option } from 'commander';
import { hours } from '../../kernel/clock/duration.js';
import { type Json, print } from '../print.js';
import { durationOrZero } from './key-options.js';
import { describeKey } from './key-views.js';
import { withKey } from './with-keys.js';

interface RotateOptions extends Json {
  /** Milliseconds. */
  readonly overlap: number;
}

/** `petstore keys rotate` */
export function addRotateCommand(keys: Command): void {
  keys
    .command('rotate <id>')
    .description(
      'Give a key a new secret and show it once. Id, quota and bans stay. The old secret keeps working for a while; an older one ends now.',
    )
    .addOption(
      new Option(
        '--overlap <duration>',
        'how long the old secret works: 90s, 15m, 2h, 7d, or 0 to end it now',
      )
        .argParser(durationOrZero)
        .default(hours(24), '24h'),
    )
    .option('--json', 'print one JSON object')
    .action(rotate);
}

async function rotate(id: string, { overlap, json }: RotateOptions): Promise<void> {
  const oldEndsAt = overlap > 0 ? new Date(Date.now() + overlap) : undefined;
  const { key, secret } = await withKey(id, ({ keys }, number) => keys.rotate(number, oldEndsAt));
  const old = oldEndsAt ? `works until ${oldEndsAt.toISOString()}` : 'has ended';
  print(
    json,
    { ...describeKey(key), key: secret },
    () => `Key ${id} has a new secret, shown this once:\n${secret}\nThe old secret ${old}.`,
  );
}
