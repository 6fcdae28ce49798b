import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

let count = '';

/** A reporter of Jest, which keeps the number of tests for the last line of the run: the global teardown prints after all reporters. */
export default class Summary {
  onRunComplete(_, { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites: broken }) {
    const suites = broken > 0 ? `, ${broken} suites did not run` : '';
    count = `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped${suites}`;
  }
}

/** Prints a line for each cause of skipped tests, which says what to do, and the number of tests as the last line. */
export async function printSummary(folder) {
  const noted = await readFile(join(folder, 'skipped'), 'utf8').catch(() => '');
  const names = new Map();
  for (const line of noted.split('\n').filter(Boolean)) {
    const { name, remedy } = JSON.parse(line);
    names.set(remedy, [...(names.get(remedy) ?? []), name]);
  }
  for (const [remedy, all] of names) console.log(`Skipped; to run it, ${remedy}: ${all.join('; ')}`);
  if (count !== '') console.log(count);
}
