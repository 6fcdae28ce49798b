import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import type { PoolClient } from 'pg';
import type { CommandDatabase } from '../../data/database/command-database.js';
import { programName } from '../../kernel/config/service.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { type Json, print } from '../../kernel/terminal/print.js';

/** Skips a range of the ids of rows and events. deploy/backup/restore.sh runs it too. */
const NEW_IDS = new URL('new-ids.sql', import.meta.url);

/** `petstore new-ids` */
export function addNewIdsCommand(program: Command, database: CommandDatabase): void {
  program
    .command('new-ids')
    .description(
      'After a copy of the database was put back: new rows and events get ids that none had before.',
    )
    .option('--json', 'print one JSON object')
    .action((options: Json) => newIds(database, options));
}

async function newIds(database: CommandDatabase, { json }: Json): Promise<void> {
  const warnings: string[] = [];
  const lastEventId = await database.use([], async (dataSource) => {
    const sql = await readFile(NEW_IDS, 'utf8');
    const runner = dataSource.createQueryRunner();
    const client = (await runner.connect()) as PoolClient;
    const warn = ({ message = '' }: { message?: string | undefined }) => warnings.push(message);
    client.on('notice', warn);
    await runner.query(sql).finally(() => {
      client.off('notice', warn);
      return runner.release();
    });
    const [feed] = await dataSource.query<{ id: Int64 }[]>('SELECT last_id AS id FROM event_feed');
    return feed?.id;
  });
  for (const warning of warnings) process.stderr.write(`${programName()}: ${warning}\n`);
  print(
    json,
    { lastEventId },
    () =>
      `New events have ids above ${lastEventId}, and new rows${warnings.length > 0 ? ' of other sequences' : ''} have ids far above the last ones.`,
  );
}
