import { isNativeError } from 'node:util/types';
import { StartupError } from '../kernel/errors/common.errors.js';

/** Runs a program. An error becomes text on stderr and exit code 1. */
export function run(program: () => Promise<void>): void {
  program().catch((error: unknown) => {
    process.exitCode = 1;
    process.stderr.write(`${errorText(error)}\n`, () => process.exit()); // even with open handles
  });
}

/** One line for an error that the user can fix; otherwise the stack. */
export const errorText = (error: unknown): string =>
  error instanceof StartupError ? `petstore: ${error.message}` : describe(error);

const describe = (error: unknown): string =>
  isNativeError(error) ? (error.stack ?? error.message) : String(error);
