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

/**
 * The suites that took longest, and those that computed most. They run beside one another, so their times add up to more than
 * the run took, and on a busy machine only their CPU time says what they cost. That of the test's PostgreSQL is not in it.
 */
function whereTimeGoes({ testResults, startTime }) {
  if (testResults.length <= NAMED) return '';
  const suites = testResults.map(({ testFilePath, perfStats, cpuSeconds = 0 }) => ({
    name: relative(process.cwd(), testFilePath),
    time: perfStats.runtime / 1000,
    cpu: cpuSeconds,
  }));
  const took = (Date.now() - startTime) / 1000;
  return [
    `${suites.length} suites took ${inAll(suites, 'time')} in ${took.toFixed(0)} s. ${most(suites, 'time')}`,
    `They took ${inAll(suites, 'cpu')} of CPU time. ${most(suites, 'cpu')}`,
  ].join('\n');
}

const sum = (suites, what) => suites.reduce((total, suite) => total + suite[what], 0);
const inAll = (suites, what) => `${sum(suites, what).toFixed(0)} s`;

function most(suites, what) {
  const named = suites.toSorted((one, other) => other[what] - one[what]).slice(0, NAMED);
  const share = (sum(named, what) / sum(suites, what)) * 100;
  const list = named.map((suite) => `${suite.name} ${suite[what].toFixed(0)} s`).join(', ');
  return `These ${NAMED} took ${share.toFixed(0)} % of it: ${list}`;
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
