import type { Command } from 'commander';
import { UsageError } from '../../config/startup-error.js';
import type { ApiKey } from '../api-key.entity.js';
import type { KeyEdit } from '../api-keys.service.js';
import { customLimits, expiryAndScopes, keyOptions, type KeyOptions } from './key-options.js';
import { describeKey, keyDetails } from './key-views.js';
import { type Json, print } from '../../json/print.js';
import { withKey } from './with-keys.js';

/** `petstore keys update` */
export function addUpdateCommand(keys: Command): void {
  const command = keys
    .command('update <id>')
    .description('Change a key. Omitted values and the used quota stay the same.');
  for (const option of keyOptions()) command.addOption(option);
  command.option('--json', 'print one JSON object').action(update);
}

async function update(id: string, { json, ...options }: KeyOptions & Json): Promise<void> {
  if (Object.keys(options).length === 0) {
    throw new UsageError(`No change given for key ${id}. petstore keys update --help lists the options.`);
  }
  const key = await withKey(id, ({ keys }, number) => keys.update(number, (key) => changes(key, options)));
  print(json, describeKey(key), () => `Key ${id} is now:\n${keyDetails(key)}`);
}

/** The plan and limits change only if an option names them. */
function changes(key: ApiKey, options: KeyOptions): KeyEdit {
  const { name, plan = key.plan, perMinute, perDay } = options;
  const same = plan === key.plan && perMinute === undefined && perDay === undefined;
  return {
    name,
    plan: same ? undefined : { plan, limits: customLimits(plan, { perMinute, perDay }) },
    ...expiryAndScopes(options),
  };
}
