import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the whole run collects what its services logged and which keys it made, each worker in files of its own. */
const file = (kind: 'log' | 'keys') => join(process.env.PETSTORE_TEST_LOGS ?? '', `${process.pid}.${kind}`);

/** Adds to the log of the run, which is searched for keys at its end. */
export function keepLog(text: string): void {
  appendFileSync(file('log'), text);
}

export function rememberKey(secret: string): void {
  appendFileSync(file('keys'), `${secret}\n`);
}
