import { spawnSync } from 'node:child_process';
import { skipped } from './skipped.js';

/** Where the program's name is not that of its package. */
const PACKAGES: Partial<Record<string, string>> = {
  promtool: 'promtool, of prometheus',
  prlimit: 'util-linux',
};

/**
 * `describe` if a program is installed, otherwise `describe.skip`, which the end of the run shows. With CI=true, a missing program is an
 * error.
 */
export function describeWith(program: string, name: string, suite: () => void): void {
  if (process.env.CI === 'true' && !isInstalled(program))
    throw new Error(`${program} is not installed, and CI must not skip its suites.`);
  describeWhereFound(program, name, suite);
}

/** The same for a program that CI may lack too. */
export function describeWhereFound(program: string, name: string, suite: () => void): void {
  if (isInstalled(program)) {
    describe(name, suite);
    return;
  }
  skipped(name, `install ${PACKAGES[program] ?? program}`);
  describe.skip(name, suite);
}

/** HAProxy supports only the short option, kubectl and Caddy neither. */
const isInstalled = (program: string): boolean =>
  [['--version'], ['-v'], ['version', '--client'], ['version']].some(
    (args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0,
  );
