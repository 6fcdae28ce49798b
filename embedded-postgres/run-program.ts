import { execFile, type ExecFileOptions } from 'node:child_process';

/** A program that could not be run, or ended with an exit code other than 0. */
export class ProgramFailed extends Error {
  constructor(
    /** The last line it wrote. */
    message: string,
    /** The exit code, or the code of the system error that kept it from running. */
    readonly code: number | string | null | undefined,
  ) {
    super(message);
  }

  /** Missing program, foreign processor or C library (126 and 127 as in a shell), or a missing shared library. */
  get couldNotRun(): boolean {
    return (
      [126, 127, 'ENOENT', 'EACCES', 'ENOEXEC'].includes(this.code ?? '') ||
      this.message.includes('error while loading shared libraries')
    );
  }
}

/** Runs a program to its end. Rejects with `ProgramFailed`. */
export function runProgram(program: string, args: string[], options: ExecFileOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { ...options, windowsHide: true, encoding: 'utf8' }, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new ProgramFailed(lastError(stderr) ?? lastError(stdout) ?? error.message, error.code));
    });
  });
}

function lastError(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return lines.findLast((line) => /\b(error|fatal)\b/i.test(line)) ?? lines.at(-1);
}
