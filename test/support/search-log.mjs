import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** No key created in the run may appear in its services' logs. @throws Error that quotes the first lines with a key */
export async function searchLog(folder) {
  const keys = (await textOf(folder, '.keys')).split('\n').filter((line) => line !== '');
  const lines = (await textOf(folder, '.log')).split('\n');
  const secrets = new Set(keys.map((key) => key.slice(-49)));
  const leaks = lines.filter((line) =>
    (line.match(/[0-9A-Za-z]{49}/g) ?? []).some((word) => secrets.has(word)),
  );
  if (leaks.length > 0) {
    throw new Error(`${leaks.length} log lines contain an API key, such as: ${leaks.slice(0, 3).join('\n')}`);
  }
  if (secrets.size > 0)
    console.log(`Keys created: ${secrets.size}. Log lines: ${lines.length}. No line contains a key.`);
}

async function textOf(folder, kind) {
  const names = (await readdir(folder)).filter((name) => name.endsWith(kind));
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
}
