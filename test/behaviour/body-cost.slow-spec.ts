import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const MEASURE = fileURLToPath(new URL('../support/body-cost.mjs', import.meta.url));

/** CPU milliseconds: about three times what the worst body takes on a quiet machine, whose caches are its own. */
const BOUND = 20;

it('no body of 16 KiB takes more CPU time than some milliseconds', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [MEASURE]);
  const costs = Object.entries(JSON.parse(stdout) as Record<string, number>);
  expect(costs.length).toBeGreaterThan(30);
  expect(costs.filter(([, milliseconds]) => milliseconds > BOUND)).toEqual([]);
});
