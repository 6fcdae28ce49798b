import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(root, 'dist/compiled-by-tests');
const SETTINGS = ['.swcrc', 'node_modules/@swc/core/package.json'].map((name) =>
  readFileSync(join(root, name)),
);

/** The code of a TypeScript file, compiled unless the cache has it: its last line tells what it was made of. */
export async function compiled(source) {
  const output = join(CACHE, `${relative(root, source)}.js`);
  const lastLine = `// ${fingerprint(await readFile(source))}`;
  const kept = await readFile(output, 'utf8').catch(() => '');
  if (kept.endsWith(lastLine)) return kept;
  const { transformFile } = await import('@swc/core'); // mostly nothing to compile
  const { code, map } = await transformFile(source, { cwd: root, sourceMaps: true, sourceFileName: source });
  await mkdir(dirname(output), { recursive: true });
  await replace(`${output}.map`, map);
  await replace(output, `${code}\n${lastLine}`);
  return code;
}

const fingerprint = (text) =>
  [...SETTINGS, text].reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');

/** Several workers may write the same file at the same time. */
async function replace(path, text) {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, path);
}

/** The source map of each file that is compiled, by the name that it has in a stack. */
export const listSourceMaps = () =>
  readdirSync(CACHE, { recursive: true })
    .filter((name) => name.endsWith('.map'))
    .map((name) => [pathToFileURL(join(root, name.slice(0, -'.js.map'.length))).href, join(CACHE, name)]);
