import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Built in the package, and sources in the repository of the platform. */
const PLATFORM = ['src', 'dist/src']
  .map((folder) => join(import.meta.dirname, '../..', folder, 'platform/program/migrations'))
  .find(existsSync);

/** Where migrations are: the service's first. @param {string} root of the service */
export const migrationFolders = (root) => [join(root, 'migrations'), PLATFORM];

/**
 * Later than every existing migration, whatever the machine's clock, because migrations run in this order.
 * @param {string} root of the service
 */
export async function nextTime(root) {
  const files = (await Promise.all(migrationFolders(root).map((folder) => readdir(folder)))).flat();
  const others = files.map((file) => Number.parseInt(file)).filter(Number.isSafeInteger);
  return String(Math.max(Date.now(), ...others.map((other) => other + 1)));
}
