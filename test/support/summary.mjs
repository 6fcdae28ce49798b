import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** So many suites are named. */
const NAMED = 8;

let count = '';
let times = '';

/** A reporter of Jest, which keeps the number of tests for the last line of the run: the global teardown prints after all reporters. */
export default class Summary {
  onRunComplete(_, results) {
    const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites: broken } = results;
    times = whereTimeGoes(results);
    const suites = broken > 0 ? `, ${broken} suites did not run` : '';
    count = `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped${suites}`;
  }
}

/** The suites that took longest. They run beside one another, so their times add up to more than the run took. */
function whereTimeGoes({ testResults, startTime }) {
  const suites = testResults.map(({ testFilePath, perfStats }) => ({
    name: relative(process.cwd(), testFilePath),
    seconds: perfStats.runtime / 1000,
  }));
  if (suites.length <= NAMED) return '';
  const total = suites.reduce((sum, { seconds }) => sum + seconds, 0);
  const longest = suites.sort((one, other) => other.seconds - one.seconds).slice(0, NAMED);
  const share = longest.reduce((sum, { seconds }) => sum + seconds, 0) / total;
  const list = longest.map(({ name, seconds }) => `${name} ${seconds.toFixed(0)} s`).join(', ');
  const took = (Date.now() - startTime) / 1000;
  return (
    `${suites.length} suites took ${total.toFixed(0)} s in ${took.toFixed(0)} s. ` +
    `These ${NAMED} took ${(share * 100).toFixed(0)} % of it: ${list}`
  );
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
  if (times !== '') console.log(times);
  if (count !== '') console.log(count);
}
