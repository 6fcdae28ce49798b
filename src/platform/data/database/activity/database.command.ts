import type { Command } from 'commander';
import { type Json, print, table } from '../../../kernel/terminal/print.js';
import { withConnection } from '../connect-once.js';
import { withServer } from '../with-server.js';
import {
  type Connections,
  type DatabaseActivity,
  databaseActivity,
  type OpenTransaction,
  type TableState,
} from './database-activity.js';

/** Transactions that the text lists; all are in the JSON. */
const LISTED = 20;

/** `petstore database` */
export function addDatabaseCommand(program: Command): void {
  program
    .command('database')
    .description(
      'Show who uses PostgreSQL: open transactions and whom they block, connections, and dead rows and sizes of tables. Shows no text of a query.',
    )
    .option('--json', 'print one JSON object')
    .action(showDatabase);
}

async function showDatabase({ json }: Json): Promise<void> {
  const activity = await withServer((url) => withConnection(url, databaseActivity));
  print(json, activity, () => activityText(activity));
}

function activityText({
  transactions,
  maxConnections,
  connections,
  tables,
  grant,
}: DatabaseActivity): string {
  const more = transactions.length - LISTED;
  const open = connections.reduce((sum, { all }) => sum + all, 0);
  return [
    transactions.length === 0
      ? 'No transaction is open.'
      : `Open transactions, those that block others first:\n${transactionsTable(transactions.slice(0, LISTED))}`,
    ...(more > 0 ? [`${more} more are open.`] : []),
    `Connections, ${open} of ${maxConnections}:\n${connectionsTable(connections)}`,
    `Tables:\n${tablesTable(tables)}`,
    ...(grant === null ? [] : [`What other roles do is hidden, until a superuser runs: ${grant}`]),
  ].join('\n\n');
}

const transactionsTable = (all: readonly OpenTransaction[]): string =>
  table(
    ['PID', 'USER', 'APPLICATION', 'STATE', 'SECONDS', 'BLOCKS', 'WAITS FOR', 'LOCKS'],
    all.map(({ pid, user, application, state, seconds, blocks, waitsFor, locks }) => [
      String(pid),
      user ?? '',
      application,
      state ?? '?',
      seconds === null ? '?' : String(Math.round(seconds)),
      String(blocks),
      waitsFor.join(', '),
      locks.join(', '),
    ]),
  );

const connectionsTable = (all: readonly Connections[]): string =>
  table(
    ['USER', 'APPLICATION', 'DATABASE', 'ALL', 'ACTIVE', 'IDLE IN TRANSACTION'],
    all.map(({ user, application, database, ...counts }) => [
      user,
      application,
      database ?? '',
      String(counts.all),
      String(counts.active),
      String(counts.idleInTransaction),
    ]),
  );

const tablesTable = (all: readonly TableState[]): string =>
  table(
    ['TABLE', 'MB', 'ROWS', 'DEAD ROWS', 'LAST VACUUM'],
    all.map(({ table: name, bytes, rows, deadRows, lastVacuum }) => [
      name,
      bytes === null ? 'locked' : (bytes / 1e6).toFixed(1),
      String(rows),
      String(deadRows),
      lastVacuum === null ? 'never' : `${lastVacuum.toISOString().slice(0, 19)}Z`,
    ]),
  );
