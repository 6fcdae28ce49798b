import { isNativeError } from 'node:util/types';
import { StartupError } from '../kernel/errors/common.errors.js';

/** Runs a program to its end: what its user can put right is one line on stderr, and the exit code tells. */
export function run(program: () => Promise<void>): void {
  program().catch((error: unknown) => {
    process.exitCode = 1;
    process.stderr.write(`${lastWords(error)}\n`, () => process.exit()); // whatever is still open or being loaded
  });
}

/** What is said of a failure: to its user one line, and all of it where it is the program's own. */
export const lastWords = (error: unknown): string =>
  error instanceof StartupError ? `petstore: ${error.message}` : describe(error);

const describe = (error: unknown): string =>
  isNativeError(error) ? (error.stack ?? error.message) : String(error);
