/** The exit code of a program whose command line is wrong, as in most programs. */
export const USAGE_ERROR = 2;

/** A problem that the user of the program can fix. It is shown as one line, without a stack. */
export class StartupError extends Error {
  readonly exitCode: number = 1;
}

/** A wrong command line. */
export class UsageError extends StartupError {
  override readonly exitCode = USAGE_ERROR;
}
