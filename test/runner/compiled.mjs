import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(root, 'dist/compiled-by-tests');
const SETTINGS = ['.swcrc', 'node_modules/@swc/core/package.json'].map((name) =>
  readFileSync(join(root, name)),
);

/** The code of a TypeScript file, compiled unless the cache has it: its last line tells what it was made of. */
export function compiled(source) {
  const output = outputOf(source);
  const lastLine = `// ${fingerprint(readFileSync(source))}`;
  const kept = existsSync(output) ? readFileSync(output, 'utf8') : '';
  if (kept.endsWith(lastLine)) return kept;
  const { transformFileSync } = require('@swc/core'); // mostly nothing to compile
  const { code, map } = transformFileSync(source, { cwd: root, sourceMaps: true, sourceFileName: source });
  mkdirSync(dirname(output), { recursive: true });
  replace(`${output}.map`, map);
  replace(output, `${code}\n${lastLine}`);
  return code;
}

const fingerprint = (text) =>
  [...SETTINGS, text].reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');

/** Several workers may write the same file at the same time. */
function replace(path, text) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}

/** The source map of a TypeScript file by the name that it has in a stack. */
export const sourceMapOf = (url) =>
  url.startsWith('file:') && url.endsWith('.ts') ? `${outputOf(fileURLToPath(url))}.map` : undefined;

const outputOf = (source) => join(CACHE, `${relative(root, source)}.js`);
