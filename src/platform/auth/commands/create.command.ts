import { type Command, InvalidArgumentError } from 'commander';
import { createInterface, type Interface } from 'node:readline/promises';
import { SCOPES } from '../scopes.js';
import { UsageError } from '../../config/startup-error.js';
import {
  customLimits,
  expiryAndScopes,
  keyName,
  keyOptions,
  type KeyOptions,
  positive,
} from './key-options.js';
import { describeKey } from './key-views.js';
import { type Json, print } from '../../json/print.js';
import { withKeys } from './with-keys.js';
import { type Plan, PLAN_NAMES } from '../plans.js';

const SIGINT_EXIT_CODE = 130;

/** `petstore keys create` */
export function addCreateCommand(keys: Command): void {
  const command = keys
    .command('create')
    .usage('--plan <plan> --name <name> [options]')
    .description(
      'Create a key and show it once. By default it never expires and has all scopes that exist now. On a terminal, the command prompts for missing options.',
    );
  for (const option of keyOptions()) command.addOption(option);
  command.option('--json', 'print one JSON object').action(create);
}

async function create({ json, ...given }: KeyOptions & Json): Promise<void> {
  const options = process.stdin.isTTY && process.stdout.isTTY ? await askForMissing(given) : given;
  const { plan, name } = options;
  if (plan === undefined) throw missing('--plan <plan>');
  if (name === undefined) throw missing('--name <name>');
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

const missing = (option: string): UsageError => new UsageError(`required option '${option}' not specified`);

/** Asks for the required options that the command line lacks. */
async function askForMissing(options: KeyOptions): Promise<KeyOptions> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr }); // stdout is only for the key
  try {
    const plan = options.plan ?? (await ask(terminal, `Plan (${PLAN_NAMES.join(', ')}): `, planNamed));
    const name =
      options.name ?? (await ask(terminal, 'Name (person or program that uses the key): ', keyName));
    if (plan !== 'enterprise') return { ...options, plan, name };
    const perMinute = options.perMinute ?? (await ask(terminal, 'Requests per minute: ', positive));
    const perDay = options.perDay ?? (await ask(terminal, 'Requests per day: ', positive));
    return { ...options, plan, name, perMinute, perDay };
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    process.stderr.write('\npetstore: stopped, nothing was created.\n'); // Ctrl-C or Ctrl-D
    process.exit(SIGINT_EXIT_CODE);
  } finally {
    terminal.close();
  }
}

function planNamed(value: string): Plan {
  const plan = PLAN_NAMES.find((name) => name === value);
  if (plan) return plan;
  throw new InvalidArgumentError(`Choose one of ${PLAN_NAMES.join(', ')}.`);
}

/** Asks again until the value is valid. */
async function ask<T>(terminal: Interface, question: string, parse: (value: string) => T): Promise<T> {
  const value = (await terminal.question(question)).trim();
  try {
    return parse(value);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return ask(terminal, question, parse);
  }
}
