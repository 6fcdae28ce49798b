import type { Command } from 'commander';
import { SCOPES } from '../../auth/scopes.js';
import { StartupError } from '../../kernel/errors/common.errors.js';
import { askForMissing } from './ask.js';
import {
  customLimits,
  endAndScopes,
  furtherOptions,
  type KeyOptions,
  nameOption,
  planOption,
} from './key-options.js';
import { describeKey } from './key-views.js';
import { print } from './print.js';
import { withKeys } from './with-keys.js';

interface CreateOptions extends KeyOptions {
  readonly json?: true;
}

/** `petstore keys create` */
export function addCreateCommand(keys: Command): void {
  const command = keys
    .command('create')
    .usage('--plan <plan> --name <name> [options]')
    .description(
      'Make a key, shown this once. By default it does not expire and has the scopes that exist now. On a terminal, the command asks for what is missing.',
    )
    .addOption(planOption())
    .addOption(nameOption());
  for (const option of furtherOptions()) command.addOption(option);
  command.option('--json', 'print one JSON object').action(create);
}

async function create({ json, ...given }: CreateOptions): Promise<void> {
  const options = process.stdin.isTTY && process.stdout.isTTY ? await askForMissing(given) : given;
  const { plan, name } = options;
  if (plan === undefined) throw missing('--plan <plan>');
  if (name === undefined) throw missing('--name <name>');
  const newKey = {
    plan,
    name,
    limits: customLimits(plan, options),
    ...endAndScopes({ scopes: [...SCOPES], ...options }),
  };
  const { key, secret } = await withKeys(({ keys }) => keys.create(newKey), { makesDataFolder: true });
  print(
    json,
    { ...describeKey(key), key: secret },
    () => `Key ${String(key.id)} (${plan}), shown this once:\n${secret}`,
  );
}

const missing = (option: string): StartupError =>
  new StartupError(`required option '${option}' not specified`);
