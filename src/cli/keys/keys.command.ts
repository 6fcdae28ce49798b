import type { Command } from 'commander';
import { addBanCommands } from './ban.command.js';
import { addCreateCommand } from './create.command.js';
import { addHistoryCommand } from './history.command.js';
import { keyId } from './key-arguments.js';
import { describeKey, keyDetails, keysTable } from './key-views.js';
import { print } from './print.js';
import { addRotateCommand } from './rotate.command.js';
import { addUpdateCommand } from './update.command.js';
import { existing, withKeys } from './with-keys.js';

/** `petstore keys ...` */
export function addKeysCommand(program: Command): Command {
  const keys = program.command('keys').description('The life of API keys.');
  addCreateCommand(keys);
  keys.command('list').description('List all keys.').option('--json', 'print a JSON array').action(list);
  keys
    .command('show <id>')
    .description('Show one key.')
    .option('--json', 'print one JSON object')
    .action(show);
  addUpdateCommand(keys);
  addRotateCommand(keys);
  keys
    .command('revoke <id>')
    .description('End a key at once and for good.')
    .option('--json', 'print one JSON object')
    .action(revoke);
  addBanCommands(keys);
  addHistoryCommand(keys);
  return keys;
}

async function list({ json }: { json?: true }): Promise<void> {
  const all = await withKeys(({ keys }) => keys.list());
  print(json, all.map(describeKey), () => keysTable(all));
}

async function show(id: string, { json }: { json?: true }): Promise<void> {
  const number = keyId(id);
  const key = existing(id, await withKeys(({ keys }) => keys.find(number)));
  print(json, describeKey(key), () => keyDetails(key));
}

async function revoke(id: string, { json }: { json?: true }): Promise<void> {
  const number = keyId(id);
  const key = existing(id, await withKeys(({ keys }) => keys.revoke(number)));
  print(json, describeKey(key), () => `Key ${id} is revoked.`);
}
