import type { Command } from 'commander';
import { StartupError } from '../../kernel/errors/common.errors.js';
import type { ApiKey } from '../../auth/api-key.entity.js';
import type { KeyUpdate } from '../../auth/api-keys.service.js';
import { keyId } from './key-arguments.js';
import {
  customLimits,
  endAndScopes,
  furtherOptions,
  type KeyOptions,
  nameOption,
  planOption,
} from './key-options.js';
import { describeKey, keyDetails } from './key-views.js';
import { print } from './print.js';
import { existing, withKeys } from './with-keys.js';

/** `petstore keys update` */
export function addUpdateCommand(keys: Command): void {
  const command = keys
    .command('update <id>')
    .description('Change a key. What is not named stays; the quota stays as it was used.')
    .addOption(planOption())
    .addOption(nameOption());
  for (const option of furtherOptions()) command.addOption(option);
  command.option('--json', 'print one JSON object').action(update);
}

async function update(id: string, { json, ...options }: KeyOptions & { json?: true }): Promise<void> {
  const number = keyId(id);
  if (Object.keys(options).length === 0) {
    throw new StartupError(
      `Say what to change of key ${id}: petstore keys update --help shows what there is.`,
    );
  }
  const key = existing(id, await withKeys(({ keys }) => keys.update(number, (key) => changes(key, options))));
  print(json, describeKey(key), () => `Key ${id} is now:\n${keyDetails(key)}`);
}

/** An enterprise key keeps its limits unless it is told both anew. */
function changes(key: ApiKey, options: KeyOptions): KeyUpdate {
  const { name, plan = key.plan, perMinute, perDay } = options;
  const same = plan === key.plan && perMinute === undefined && perDay === undefined;
  return {
    name,
    plan: same ? undefined : { plan, limits: customLimits(plan, { perMinute, perDay }) },
    ...endAndScopes(options),
  };
}
