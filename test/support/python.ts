import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { skipped } from './skipped.js';

/** The one of clients/examples/README.md. */
const VIRTUAL = join(import.meta.dirname, '../../.venv/bin/python3');

const isSuitable = (python: string): boolean =>
  succeeds(python, 'import httpx, sys; sys.exit(sys.version_info < (3, 10))');

/**
 * Debian's own Python has Debian's packages, which another one earlier in `PATH` may lack. Undefined if none has httpx.
 */
export const PYTHON = ['python3', '/usr/bin/python3', VIRTUAL].find(isSuitable);

/**
 * `it` if there is a Python with httpx and the given modules, otherwise `it.skip`, which the end of the run shows. With CI=true, a
 * missing one is an error.
 */
export function itWithPython(name: string, test: () => Promise<void>, modules: readonly string[] = []): void {
  if (PYTHON !== undefined && modules.every((module) => succeeds(PYTHON, `import ${module}`))) {
    it(name, test);
    return;
  }
  const needed = ['httpx', ...modules].join(' ');
  if (process.env.CI === 'true')
    throw new Error(`No python3 (3.10 or newer) has ${needed}, and CI must not skip: ${name}`);
  skipped(name, `run python3 -m venv .venv && .venv/bin/pip install ${needed}`);
  it.skip(name, test);
}

/** Runs Python with no environment variables but `PATH` and `HOME`. */
export function runPython(
  args: readonly string[],
  env: Record<string, string>,
  cwd?: string,
): ChildProcessWithoutNullStreams {
  const { PATH, HOME } = process.env;
  return spawn(PYTHON ?? 'python3', ['-s', '-B', ...args], { cwd, env: { PATH, HOME, ...env } });
}

function succeeds(python: string, program: string): boolean {
  try {
    execFileSync(python, ['-c', program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
