import { jest } from '@jest/globals';
import { APPLICATION } from '../../src/application.js';
import { FEATURES } from '../../src/app.module.js';
import { commandLine } from '../../src/platform/cli/command-line.js';
import { errorText, exitCodeOf } from '../../src/platform/bootstrap/run.js';
import type { Ended } from './program.js';
import { rememberKey } from './run-log.js';

/** Thrown instead of ending the tests' process. */
class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `petstore` in this process, which loads it once for all runs of a suite. Only one run at a time: arguments,
 * environment and output belong to the process.
 */
export function petstore(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const ended = last.then(() => runHere(args, env));
  last = ended.catch(() => undefined);
  return ended;
}

async function runHere(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const before = { argv: process.argv, env: process.env };
  const stdout = keepOutput(process.stdout);
  const stderr = keepOutput(process.stderr);
  const exit = jest.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Exit(Number(code ?? 0));
  });
  Object.assign(process, { argv: ['node', 'petstore', ...args], env });
  const code = await commandLine(APPLICATION, FEATURES)
    .parseAsync()
    .then(
      () => 0,
      (error: unknown) => {
        if (error instanceof Exit) return error.code;
        process.stderr.write(`${errorText(error)}\n`);
        return exitCodeOf(error);
      },
    );
  Object.assign(process, before);
  exit.mockRestore();
  const ended = { code, stdout: stdout.end(), stderr: stderr.end() };
  for (const [key] of ended.stdout.matchAll(/petstore_[0-9A-Za-z]{49}/g)) rememberKey(key);
  return ended;
}

/** Captures what is written to a stream. */
function keepOutput(stream: NodeJS.WriteStream) {
  let text = '';
  const spy = jest.spyOn(stream, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  return {
    end: () => {
      spy.mockRestore();
      return text;
    },
  };
}
