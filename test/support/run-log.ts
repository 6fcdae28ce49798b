import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = process.env.PETSTORE_TEST_LOGS ?? ''; // now: a command in this process replaces the environment

/** Where the run collects its services' logs and the keys it created, in separate files for each worker. */
const file = (kind: 'log' | 'keys') => join(FOLDER, `${process.pid}.${kind}`);

/** Adds to the log of the run, which is searched for keys at the end. */
export function keepLog(text: string): void {
  appendFileSync(file('log'), text);
}

export function rememberKey(secret: string): void {
  appendFileSync(file('keys'), `${secret}\n`);
}
