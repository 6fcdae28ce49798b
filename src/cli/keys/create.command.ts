import type { Command } from 'commander';
import type { Plan } from '../../auth/plans.js';
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
  readonly plan: Plan;
  readonly name: string;
  readonly json?: true;
}

/** `petstore keys create` */
export function addCreateCommand(keys: Command): void {
  const command = keys
    .command('create')
    .usage('--plan <plan> --name <name> [options]')
    .description('Make a key. The key itself is shown this once. Unless told, it never ends and may do all.')
    .addOption(planOption().makeOptionMandatory())
    .addOption(nameOption().makeOptionMandatory());
  for (const option of furtherOptions()) command.addOption(option);
  command.option('--json', 'print one JSON object').action(create);
}

async function create({ plan, name, json, ...options }: CreateOptions): Promise<void> {
  const limits = customLimits(plan, options);
  const newKey = { plan, name, limits, ...endAndScopes(options) };
  const { key, secret } = await withKeys(({ keys }) => keys.create(newKey));
  print(
    json,
    { ...describeKey(key), key: secret },
    () => `Key ${String(key.id)} (${plan}), shown this once:\n${secret}`,
  );
}
