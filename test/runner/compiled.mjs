import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(root, 'dist/compiled-by-tests');
const SETTINGS = ['.swcrc', 'node_modules/@swc/core/package.json', 'test/runner/compiled.mjs'].map((name) =>
  readFileSync(join(root, name)),
);

/** Compiles a TypeScript file unless it is cached. The last line of the output identifies what it was compiled from. */
export function compiled(source) {
  const output = outputOf(source);
  const lastLine = `// ${fingerprint(readFileSync(source))}`;
  const kept = existsSync(output) ? readFileSync(output, 'utf8') : '';
  if (kept.endsWith(lastLine)) return kept;
  const { transformFileSync } = require('@swc/core'); // usually nothing needs compiling
  const { code, map } = transformFileSync(source, { cwd: root, sourceMaps: true, sourceFileName: source });
  mkdirSync(dirname(output), { recursive: true });
  replace(`${output}.map`, map);
  const text = `${code}\n//# sourceMappingURL=${pathToFileURL(output).href}.map\n${lastLine}`; // for debuggers and coverage
  replace(output, text);
  return text;
}

const fingerprint = (text) =>
  [...SETTINGS, text].reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');

/** Several workers may write the same file at the same time. */
function replace(path, text) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}

/** The source map of a TypeScript file, by its name in a stack trace. */
export const sourceMapOf = (url) =>
  url.startsWith('file:') && url.endsWith('.ts') ? `${outputOf(fileURLToPath(url))}.map` : undefined;

const outputOf = (source) => join(CACHE, `${relative(root, source)}.js`);
