import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { codeOf } from './embedded-postgres.error.js';

/** Reads the password of the superuser. Rejects when the file or the password is missing. */
export async function readPassword(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  try {
    const content: unknown = JSON.parse(text);
    if (hasPassword(content)) return content.password;
  } catch {
    // Invalid JSON contains no password.
  }
  throw new Error(`${file} contains no password`);
}

/** Creates a password unless the file has one. It exists before the cluster, so that two processes that create it share it. */
export async function ensurePassword(file: string): Promise<string> {
  const draft = `${file}.${randomUUID()}`;
  const content = JSON.stringify({ password: randomBytes(24).toString('base64url') });
  await writeFile(draft, content, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(draft, file); // unlike a rename, never replaces a password that is in use
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft);
  }
  return readPassword(file);
}

function hasPassword(content: unknown): content is { password: string } {
  return (
    typeof content === 'object' &&
    content !== null &&
    'password' in content &&
    typeof content.password === 'string'
  );
}
