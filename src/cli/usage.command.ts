import type { Command } from 'commander';
import { daysBack, keyId } from './keys/key-arguments.js';
import { print, table } from './keys/print.js';
import { existing, withKeys } from './keys/with-keys.js';

interface UsageOptions {
  readonly days: number;
  readonly json?: true;
}

/** `petstore keys usage` */
export function addUsageCommand(keys: Command): void {
  keys
    .command('usage <id>')
    .description(
      'Requests of past UTC days. Counted in memory, a day may show up to 1.5 % of its limit too much.',
    )
    .option('--days <n>', 'how many days back, today included, up to 3660', daysBack, 30)
    .option('--json', 'print a JSON array')
    .action(show);
}

async function show(id: string, { days, json }: UsageOptions): Promise<void> {
  const number = keyId(id);
  const rows = await withKeys(async ({ keys, usage }) => {
    existing(id, await keys.find(number));
    return usage.history(number, days);
  });
  print(json, rows, () =>
    rows.length === 0
      ? `Key ${id} was not used in ${days} days.`
      : table(
          ['DAY', 'REQUESTS'],
          rows.map(({ day, requests }) => [day, String(requests)]),
        ),
  );
}
