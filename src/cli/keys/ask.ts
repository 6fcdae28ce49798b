import { createInterface, type Interface } from 'node:readline/promises';
import { InvalidArgumentError } from 'commander';
import { PLAN_NAMES, type Plan } from '../../auth/plans.js';
import { keyName, positive } from './key-arguments.js';
import type { KeyOptions } from './key-options.js';

/** Asks a person for the options that a new key needs and the command line did not give. */
export async function askForMissing(options: KeyOptions): Promise<KeyOptions> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr }); // stdout is for the result
  try {
    const plan = options.plan ?? (await ask(terminal, `Plan (${PLAN_NAMES.join(', ')}): `, planNamed));
    const name = options.name ?? (await ask(terminal, 'Name (whom or what the key is for): ', keyName));
    if (plan !== 'enterprise') return { ...options, plan, name };
    const perMinute = options.perMinute ?? (await ask(terminal, 'Requests per minute: ', positive));
    const perDay = options.perDay ?? (await ask(terminal, 'Requests per day: ', positive));
    return { ...options, plan, name, perMinute, perDay };
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
