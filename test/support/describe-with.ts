import { spawnSync } from 'node:child_process';

/**
 * `describe` where a program is installed, otherwise `describe.skip` with a line that says so. With CI=true a missing
 * program is an error.
 */
export function describeWith(program: string, name: string, suite: () => void): void {
  if (process.env.CI === 'true' && !isInstalled(program))
    throw new Error(`${program} is not installed, and CI must not leave its suites out.`);
  describeWhereFound(program, name, suite);
}

/** The same for a program that CI may lack as well. */
export function describeWhereFound(program: string, name: string, suite: () => void): void {
  if (isInstalled(program)) {
    describe(name, suite);
    return;
  }
  process.stderr.write(`Left out, because ${program} is not installed: ${name}\n`);
  describe.skip(name, suite);
}

/** HAProxy knows the short form only, and kubectl neither. */
const isInstalled = (program: string): boolean =>
  [['--version'], ['-v'], ['version', '--client']].some(
    (args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0,
  );
