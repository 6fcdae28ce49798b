import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const MEASURE = fileURLToPath(new URL('./body-cost.mjs', import.meta.url));

/** CPU milliseconds. */
const BOUND = 10;
/** Of 1,000 nested objects, each of which is an instance of its DTO with errors of its own. */
const BOUND_OF_ITEMS = 20;

/** The bodies above their bound. */
async function tooExpensive(): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [MEASURE]);
  const costs = Object.entries(JSON.parse(stdout) as Record<string, number>);
  expect(costs.length).toBeGreaterThan(30);
  const isAbove = ([name, cost]: [string, number]) =>
    cost > (name === 'as many items as may be' ? BOUND_OF_ITEMS : BOUND);
  return costs.filter(isAbove).map(([name]) => name);
}

it('no body of 16 KiB takes more CPU time than 10 ms, or 20 ms with 1,000 nested objects', async () => {
  let remaining = await tooExpensive();
  // A host can be slow for a while, so what exceeds its bound is measured again.
  for (let again = 0; again < 3 && remaining.length > 0; again++) {
    const still = await tooExpensive();
    remaining = remaining.filter((name) => still.includes(name));
  }
  expect(remaining).toEqual([]);
});
