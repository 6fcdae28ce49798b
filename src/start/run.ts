import { StartupError } from './startup.error.js';

/** Runs a program to its end: what its user can put right is one line on stderr, and the exit code tells. */
export function run(program: () => Promise<void>): void {
  program().catch((error: unknown) => {
    process.stderr.write(
      error instanceof StartupError ? `petstore: ${error.message}\n` : `${describe(error)}\n`,
    );
    process.exitCode = 1;
    setTimeout(() => process.exit(), 1000).unref(); // should something still be open
  });
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
