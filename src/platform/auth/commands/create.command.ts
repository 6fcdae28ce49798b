import type { Command } from 'commander';
import { type Json, print } from '../../json/print.js';
import type { Plan } from '../plans.js';
import { SCOPES } from '../scopes.js';
import { customLimits, expiryAndScopes, keyOptions, type KeyOptions } from './key-options.js';
import { describeKey } from './key-views.js';
import { withKeys } from './with-keys.js';

interface CreateOptions extends KeyOptions, Json {
  readonly plan: Plan;
  readonly name: string;
}

const REQUIRED = ['--plan', '--name'];

/** `petstore keys create` */
export function addCreateCommand(keys: Command): void {
  const command = keys
    .command('create')
    .usage('--plan <plan> --name <name> [options]')
    .description(
      'Create a key and show it once. By default it never expires and has all scopes that exist now.',
    );
  for (const option of keyOptions())
    command.addOption(option.makeOptionMandatory(REQUIRED.includes(option.long ?? '')));
  command.option('--json', 'print one JSON object').action(create);
}

async function create({ json, ...options }: CreateOptions): Promise<void> {
  const { plan, name } = options;
  const newKey = {
    plan,
    name,
    limits: customLimits(plan, options),
    ...expiryAndScopes({ scopes: [...SCOPES], ...options }),
  };
  const { key, secret } = await withKeys(({ keys }) => keys.create(newKey));
  print(
    json,
    { ...describeKey(key), key: secret },
    () => `Key ${String(key.id)} (${plan}), shown this once:\n${secret}`,
  );
}
