import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import type { CommandDatabase } from '../../data/database/command-database.js';
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
  const lastEventId = await database.use([], async (dataSource) => {
    await dataSource.query(await readFile(NEW_IDS, 'utf8'));
    const [feed] = await dataSource.query<{ id: Int64 }[]>('SELECT last_id AS id FROM event_feed');
    return feed?.id;
  });
  print(
    json,
    { lastEventId },
    () => `New events have ids above ${lastEventId}, and new rows have ids far above the last ones.`,
  );
}
