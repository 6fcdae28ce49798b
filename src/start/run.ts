import { isNativeError } from 'node:util/types';
import { StartupError } from './startup.error.js';

/** Runs a program to its end: what its user can put right is one line on stderr, and the exit code tells. */
export function run(program: () => Promise<void>): void {
  program().catch((error: unknown) => {
    const text = error instanceof StartupError ? `petstore: ${error.message}` : describe(error);
    process.exitCode = 1;
    process.stderr.write(`${text}\n`, () => process.exit()); // whatever is still open or being loaded
  });
}

const describe = (error: unknown): string =>
  isNativeError(error) ? (error.stack ?? error.message) : String(error);
