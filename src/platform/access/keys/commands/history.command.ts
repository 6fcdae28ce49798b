import type { Command } from 'commander';
import type { KeyUpdate, HistoryValue, KeyHistoryEntry } from '../key-history.entity.js';
import type { CommandDatabase } from '../../../data/database/command-database.js';
import { type Json, print, table } from '../../../kernel/terminal/print.js';
import { withKey } from './with-keys.js';

/** `petstore keys history` */
export function addHistoryCommand(keys: Command, database: CommandDatabase): void {
  keys
    .command('history <id>')
    .description('Show who changed a key, when and how. A trigger protects this record from changes.')
    .option('--json', 'print a JSON array')
    .action((id: string, options: Json) => show(database, id, options));
}

async function show(database: CommandDatabase, id: string, { json }: Json): Promise<void> {
  const entries = await withKey(
    database,
    id,
    async ({ keys, history }, number) => (await keys.find(number)) && history.of(number),
  );
  print(json, entries.map(describeEntry), () =>
    entries.length === 0 ? `Key ${id} has no changes on record.` : historyTable(entries),
  );
}

const describeEntry = ({ changedAt, action, osUser, host, command, changes }: KeyHistoryEntry) => ({
  at: changedAt,
  action,
  user: osUser,
  host,
  command,
  changes,
});

const historyTable = (entries: readonly KeyHistoryEntry[]): string =>
  table(
    ['WHEN', 'WHO', 'BY', 'ACTION', 'WHAT'],
    entries.map(({ changedAt, osUser, host, command, action, changes }) => [
      `${changedAt.toISOString().slice(0, 19)}Z`,
      `${osUser}@${host}`,
      command,
      action,
      changesText(changes),
    ]),
  );

const changesText = (changes: KeyUpdate): string =>
  Object.entries(changes)
    .map(([name, { from, to }]) => `${name}: ${from === null ? '' : `${valueText(from)} → `}${valueText(to)}`)
    .join('; ');

const valueText = (value: HistoryValue): string =>
  value === null ? 'none' : typeof value === 'object' ? value.join(', ') : String(value);
