import type { Command } from 'commander';
import type { Changes, KeyHistoryEntry, HistoryValue } from '../../auth/key-history.entity.js';
import { keyId } from './key-arguments.js';
import { print, table } from './print.js';
import { existing, withKeys } from './with-keys.js';

/** `petstore keys history` */
export function addHistoryCommand(keys: Command): void {
  keys
    .command('history <id>')
    .description('Who changed a key, when, and what. The database lets nobody edit this record.')
    .option('--json', 'print a JSON array')
    .action(show);
}

async function show(id: string, { json }: { json?: true }): Promise<void> {
  const number = keyId(id);
  const entries = await withKeys(async ({ keys, history }) => {
    existing(id, await keys.find(number));
    return history.of(number);
  });
  print(json, entries.map(describeEntry), () =>
    entries.length === 0 ? `Key ${id} was not changed since changes are on record.` : historyTable(entries),
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
      sentence(changes),
    ]),
  );

const sentence = (changes: Changes): string =>
  Object.entries(changes)
    .map(([name, { from, to }]) => `${name}: ${from === null ? '' : `${word(from)} → `}${word(to)}`)
    .join('; ');

const word = (told: HistoryValue): string =>
  told === null ? 'none' : typeof told === 'object' ? told.join(', ') : String(told);
