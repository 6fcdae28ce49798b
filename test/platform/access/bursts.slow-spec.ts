import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What once ended a process with a heap of 256 MB, or took more memory than its container has. */
describe('a service with a heap of 256 MB', () => {
  it.each(['packets', 'tiny chunks', 'brotli bombs', 'different Idempotency-Keys', 'half-closed'])(
    'serves others during bursts of 500 requests of one client: %s',
    async (shape) => {
      const options = ['--assert', '--count', '500', '--only', shape];
      const { stdout } = await run(process.execPath, ['lab/shares/run.mjs', ...options], {
        timeout: 280_000,
      });
      process.stderr.write(stdout);
      expect(stdout).toContain(shape);
    },
    300_000,
  );
});
