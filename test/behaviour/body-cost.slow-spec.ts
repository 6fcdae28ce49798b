import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const MEASURE = fileURLToPath(new URL('../support/body-cost.mjs', import.meta.url));

/** CPU milliseconds. What the documents promise. */
const BOUND = 10;

it('no body of 16 KiB takes more CPU time than reading it: less than 10 ms', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [MEASURE]);
  const costs = Object.entries(JSON.parse(stdout) as Record<string, number>);
  expect(costs.length).toBeGreaterThan(30);
  expect(costs.filter(([, milliseconds]) => milliseconds > BOUND)).toEqual([]);
});
