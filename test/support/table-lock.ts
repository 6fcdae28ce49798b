import { withClient } from './test-database.js';

/** Runs work while another session locks a table, so that every statement on the table waits. */
export async function whileLocked(
  databaseUrl: string,
  table: string,
  work: () => Promise<void>,
): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    await work();
  });
}
