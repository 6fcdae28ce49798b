import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const MEASURE = fileURLToPath(new URL('./body-cost.mjs', import.meta.url));

/** CPU milliseconds. */
const BOUND = 10;
/** Of 1,000 nested objects, each of which is an instance of its DTO with errors of its own. */
const BOUND_OF_ITEMS = 20;

it('no body of 16 KiB takes more CPU time than 10 ms, or 20 ms with 1,000 nested objects', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [MEASURE]);
  const costs = Object.entries(JSON.parse(stdout) as Record<string, number>);
  expect(costs.length).toBeGreaterThan(30);
  expect(
    costs.filter(([name, cost]) => cost > (name === 'as many items as may be' ? BOUND_OF_ITEMS : BOUND)),
  ).toEqual([]);
});
