import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';

/** `it` where there is a python3 that is new enough, otherwise `it.skip` with a line that says so. */
export function itWithPython(name: string, test: () => Promise<void>): void {
  if (installed()) {
    it(name, test);
    return;
  }
  process.stderr.write(`Left out, because python3 (3.9 or newer) is not installed: ${name}\n`);
  it.skip(name, test);
}

/** Runs a script; nothing of the test's own environment reaches it, but for `PATH` and `HOME`. */
export function runPython(
  script: string,
  args: readonly string[],
  env: Record<string, string>,
): ChildProcessWithoutNullStreams {
  const { PATH, HOME } = process.env;
  return spawn('python3', ['-I', '-B', script, ...args], { env: { PATH, HOME, ...env } });
}

function installed(): boolean {
  try {
    execFileSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
