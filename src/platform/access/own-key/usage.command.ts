import type { Command } from 'commander';
import type { CommandDatabase } from '../../data/database/command-database.js';
import { type Json, print, table } from '../../kernel/terminal/print.js';
import { daysBack } from '../../kernel/terminal/arguments.js';
import { withKey } from '../keys/commands/with-keys.js';
import { DailyUsageRepository } from '../rate-limit/daily-usage/daily-usage.repository.js';

interface UsageOptions extends Json {
  readonly days: number;
}

/** `petstore keys usage`, beside the other commands of keys */
export function addUsageCommand(keys: Command, database: CommandDatabase): void {
  keys
    .command('usage <id>')
    .description('Show the requests of each UTC day. The last second may be missing.')
    .option('--days <n>', 'number of days, including today, up to 3660', daysBack, 30)
    .option('--json', 'print a JSON array')
    .action((id: string, options: UsageOptions) => show(database, id, options));
}

async function show(database: CommandDatabase, id: string, { days, json }: UsageOptions): Promise<void> {
  const rows = await withKey(
    database,
    id,
    async ({ keys, dataSource }, number) =>
      (await keys.find(number)) && new DailyUsageRepository(dataSource).history(number, days),
  );
  print(json, rows, () =>
    rows.length === 0
      ? `Key ${id} was not used in ${days} days.`
      : table(
          ['DAY', 'REQUESTS'],
          rows.map(({ day, requests }) => [day, String(requests)]),
        ),
  );
}
