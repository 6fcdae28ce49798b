import { isNativeError } from 'node:util/types';
import { checkService, programName } from '../../kernel/config/service.js';
import { outOfFiles } from '../../kernel/config/out-of-files.js';
import { StartupError } from '../../kernel/config/startup-error.js';
import { endProcess } from '../../kernel/terminal/end-process.js';

/** Runs a program: `petstore`, or a service. An error becomes text on stderr and an exit code. */
export function run(program: () => Promise<void>): void {
  process.stdout.on('error', endWithoutOutput);
  process.stderr.on('error', () => undefined); // there is nobody to tell
  process.on('uncaughtException', fail);
  const checked = async () => {
    checkService();
    await program();
  };
  checked().catch(fail);
}

function fail(error: unknown): void {
  endProcess(exitCodeOf(error), errorText(error));
}

/**
 * Node.js ignores SIGPIPE, which ends other programs when their reader has enough, such as `head`. Nor may a
 * result be lost in silence.
 */
export function endWithoutOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.kill(process.pid, 'SIGTERM');
  else fail(new StartupError(`The output cannot be written: ${error.message}.`));
}

export const exitCodeOf = (error: unknown): number => (error instanceof StartupError ? error.exitCode : 1);

/** One line for an error that the user can fix; otherwise the stack. */
export const errorText = (error: unknown): string =>
  error instanceof StartupError
    ? `${programName()}: ${error.message}`
    : (outOfFiles(error, programName()) ?? describe(error));

const describe = (error: unknown): string =>
  isNativeError(error) ? (error.stack ?? error.message) : String(error);
