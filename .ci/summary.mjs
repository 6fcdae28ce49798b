// node .ci/summary.mjs <folder> <exit code of .ci/run>: prints what the tests in the reports of Jest in that folder have failed with,
// and "N passed, N failed". A failed step outside Jest counts as one failed test.
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const [folder, code] = process.argv.slice(2);
const MOST_OF_A_TEST = 6_000;
const MOST_OF_ALL = 40_000;

const reports = readdirSync(folder)
  .filter((name) => name.endsWith('.jest.json'))
  .map((name) => JSON.parse(readFileSync(`${folder}/${name}`)));
const sum = (field) => reports.reduce((total, report) => total + report[field], 0);

const failures = reports
  .flatMap(({ testResults }) => testResults)
  .filter(({ status }) => status === 'failed')
  .map(({ name, message }) => `FAIL ${relative('.', name)}\n${shortened(message, MOST_OF_A_TEST)}\n`);
if (failures.length > 0) console.log(shortened(`\n== What has failed\n${failures.join('\n')}`, MOST_OF_ALL));

const failed = sum('numFailedTests') + sum('numRuntimeErrorTestSuites');
console.log(`${sum('numPassedTests')} passed, ${failed === 0 && code !== '0' ? 1 : failed} failed`);

function shortened(text, most) {
  const plain = stripVTControlCharacters(text).trimEnd();
  return plain.length <= most ? plain : `${plain.slice(0, most)}\n…`;
}
