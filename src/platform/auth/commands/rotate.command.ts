import { type Command, Option } from 'commander';
import { hours } from '../../clock/duration.js';
import { type Json, print } from '../../json/print.js';
import { overlap } from './key-options.js';
import { describeKey } from './key-views.js';
import { withKey } from './with-keys.js';

interface RotateOptions extends Json {
  /** Milliseconds. */
  readonly overlap: number;
  readonly replace: 'newest' | 'old';
}

/** `petstore keys rotate` */
export function addRotateCommand(keys: Command): void {
  keys
    .command('rotate <id>')
    .description(
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
    .option('--json', 'print one JSON object')
    .action(rotate);
}

async function rotate(id: string, options: RotateOptions): Promise<void> {
  const { overlap: milliseconds, replace, json } = options;
  const oldEndsAt = milliseconds > 0 ? new Date(Date.now() + milliseconds) : undefined;
  const inUse = replace === 'newest' ? 'oldest' : 'newest';
  const { key, secret } = await withKey(id, ({ keys }, number) => keys.rotate(number, oldEndsAt, { inUse }));
  const old = key.previousEndsAt ? `works until ${key.previousEndsAt.toISOString()}` : 'has ended';
  print(
    json,
    { ...describeKey(key), key: secret },
    () => `Key ${id} has a new secret, shown this once:\n${secret}\nThe old secret ${old}.`,
  );
}
