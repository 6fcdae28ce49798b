import { spawnSync } from 'node:child_process';

/**
 * `describe` where a program is installed, otherwise `describe.skip` with a line that says so. With CI=true a missing
 * program is an error.
 */
export function describeWith(program: string, name: string, suite: () => void): void {
  if (spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0) {
    describe(name, suite);
    return;
  }
  if (process.env.CI === 'true')
    throw new Error(`${program} is not installed, and CI must not leave its suites out.`);
  process.stderr.write(`Left out, because ${program} is not installed: ${name}\n`);
  describe.skip(name, suite);
}
