import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** No key that the run has made may stand in what its services logged. @throws naming the first lines that hold one */
export async function searchLog(folder) {
  const keys = (await textOf(folder, '.keys')).split('\n').filter((line) => line !== '');
  const lines = (await textOf(folder, '.log')).split('\n');
  const secrets = new Set(keys.map((key) => key.slice('petstore_'.length)));
  const leaks = lines.filter((line) =>
    (line.match(/[0-9A-Za-z]{49}/g) ?? []).some((word) => secrets.has(word)),
  );
  if (leaks.length > 0) {
    throw new Error(`${leaks.length} lines of log hold an API key, such as: ${leaks.slice(0, 3).join('\n')}`);
  }
  console.log(
    `None of the ${secrets.size} keys made in this run stands in its ${lines.length} lines of log.`,
  );
}

async function textOf(folder, kind) {
  const names = (await readdir(folder)).filter((name) => name.endsWith(kind));
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
}
