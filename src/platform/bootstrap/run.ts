import { isNativeError } from 'node:util/types';
import { StartupError } from '../config/startup-error.js';

/** Runs a program. An error becomes text on stderr and an exit code. */
export function run(program: () => Promise<void>): void {
  process.stdout.on('error', endWithItsReader);
  program().catch((error: unknown) => {
    process.exitCode = exitCodeOf(error);
    process.stderr.write(`${errorText(error)}\n`, () => process.exit()); // even with open handles
  });
}

/** Node.js ignores SIGPIPE, which ends other programs when their reader has enough, such as `head`. A service stops cleanly. */
function endWithItsReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.kill(process.pid, 'SIGTERM');
}

export const exitCodeOf = (error: unknown): number => (error instanceof StartupError ? error.exitCode : 1);

/** One line for an error that the user can fix; otherwise the stack. */
export const errorText = (error: unknown): string =>
  error instanceof StartupError ? `petstore: ${error.message}` : describe(error);

const describe = (error: unknown): string =>
  isNativeError(error) ? (error.stack ?? error.message) : String(error);
