import { chown, open, readFile } from 'node:fs/promises';
import type { ServerUser } from './server-user.js';

const MAX_BYTES = 10 * 1024 * 1024;

/** Makes the log writable for the server and empties it when it has grown large. Resolves to its length in bytes. */
export async function prepareLog(file: string, user: ServerUser | undefined): Promise<number> {
  const handle = await open(file, 'a', 0o600);
  try {
    if (user !== undefined) await chown(file, user.uid, user.gid);
    const { size } = await handle.stat();
    if (size <= MAX_BYTES) return size;
    await handle.truncate();
    return 0;
  } finally {
    await handle.close();
  }
}

/** The server's own words on why it gave up, written after the given length of the log. */
export async function lastFatal(file: string, since: number): Promise<string | undefined> {
  const lines = (await readFile(file)).subarray(since).toString().split('\n');
  const fatal = lines.findLastIndex((line) => line.includes('FATAL:'));
  if (fatal < 0) return undefined;
  const detail = lines[fatal + 1]?.includes('DETAIL:') ? lines[fatal + 1] : undefined;
  return [lines[fatal], detail]
    .map((line) => textOf(line ?? ''))
    .join(' ')
    .trim();
}

/** `2030-01-31 12:00:00.000 UTC [123] FATAL:  text` without the time. */
function textOf(line: string): string {
  return line.replace(/^.*?(FATAL|DETAIL): */, (_prefix, severity: string) => `${severity}: `);
}
