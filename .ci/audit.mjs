#!/usr/bin/env node
// Asks the registry for known vulnerabilities of the run-time packages, and fails if there are any. Mirrors often have no such endpoint:
// then it prints NOT AUDITED and succeeds. Any other error fails.
import { spawnSync } from 'node:child_process';

const WITHOUT_ENDPOINT = [404, 405, 501];

const { status, stdout, stderr } = spawnSync(
  'npm',
  ['audit', '--omit=dev', '--include=prod', '--json', ...process.argv.slice(2)],
  {
    encoding: 'utf8',
    shell: process.platform === 'win32', // npm is a command file there
  },
);
const { statusCode, message, metadata, vulnerabilities } = report(stdout);

if (metadata?.vulnerabilities) tell(metadata.vulnerabilities, Object.keys(vulnerabilities ?? {}));
else if (WITHOUT_ENDPOINT.includes(statusCode)) {
  console.log(
    `NOT AUDITED: this registry has no audit endpoint (it returned ${statusCode}). Nothing is known.`,
  );
} else {
  console.error(`The audit failed: ${message ?? stderr}`);
  process.exitCode = 1;
}

function tell({ total }, names) {
  if (total === 0 && status === 0) console.log('No known weaknesses in what the service runs on.');
  else {
    console.error(`Known weaknesses: ${names.join(', ')}. See npm audit --omit=dev --include=prod.`);
    process.exitCode = 1;
  }
}

function report(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
