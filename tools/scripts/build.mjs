#!/usr/bin/env node
// Compiles sources that changed since their output in dist/ was built, and removes outputs without a source. SWC strips
// the types; `npm run typecheck` checks them. `nest build` writes the same files with the TypeScript compiler.
import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['src', 'migrations', 'embedded-postgres'];
/** A change of one of these rebuilds everything. */
const SETTINGS = ['.swcrc', 'tools/scripts/build.mjs', 'package-lock.json'];

/**
 * The files that /reference loads. Redoc stays a development dependency, because it depends on React and a hundred
 * other packages.
 */
const REDOC = ['redoc.standalone.js', 'redoc.standalone.js.LICENSE.txt'];
/** The only external address from which Redoc loads something. It is replaced by an empty image. */
const LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const NO_LOGO = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';

/**
 * Brings dist/ up to date.
 * @param {object} [options]
 * @param {() => void} [options.begin] called before the first file is compiled
 * @param {string[]} [options.folders] the folders to build
 * @returns whether something was compiled or removed
 */
export async function build({ begin = () => {}, folders = FOLDERS } = {}) {
  await access(join(root, 'node_modules')).catch(() => {
    throw new Error('The packages are not installed. Run: npm ci');
  });
  const [sources, outputs, settings] = await Promise.all([
    filesIn('', folders, (name) => name.endsWith('.ts') && !/\.(spec|d)\.ts$/.test(name)),
    filesIn('dist', folders, (name) => name.endsWith('.js')),
    fingerprintOf(...SETTINGS.map((file) => join(root, file))),
  ]);
  const pages = await filesIn('', folders, (name) => /\.(html|css|js)$/.test(name));
  const expected = new Set([...sources.map(outputOf), ...pages]);
  const [copied] = await Promise.all([Promise.all(pages.map(copyOfPage)), ...REDOC.map(copyOfRedoc)]);
  const orphans = outputs.filter((output) => !expected.has(output));
  await Promise.all(orphans.flatMap((output) => [remove(output), remove(`${output}.map`)]));

  const checked = await Promise.all(sources.map((source) => check(source, settings)));
  const stale = checked.filter(({ isStale }) => isStale);
  if (stale.length === 0) return orphans.length > 0 || copied.includes(true);
  begin();
  const { transform } = await import('@swc/core'); // usually nothing needs compiling
  await Promise.all(stale.map((source) => compile(source, transform))).catch(({ message }) => {
    throw new Error(message.split('\n\nCaused by:')[0]); // SWC appends a stack
  });
  return true;
}

/**
 * Checks whether the output was built from something else, by the fingerprint in its last line. Timestamps would miss a
 * source saved during compilation.
 */
async function check(source, settings) {
  const text = await readFile(join(root, source), 'utf8');
  const output = await readFile(join(root, 'dist', outputOf(source)), 'utf8').catch(() => '');
  const mark = `// ${hashOf(settings, text)}`;
  return { source, text, mark, isStale: !output.endsWith(mark) };
}

const fingerprintOf = async (...files) => hashOf(...(await Promise.all(files.map((file) => readFile(file)))));

const hashOf = (...parts) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');

/** The wanted files in folders below a base, as relative paths. */
async function filesIn(base, folders, isWanted) {
  const list = (folder) =>
    readdir(join(root, base, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  return (await Promise.all(folders.map(list)))
    .flat()
    .filter((entry) => entry.isFile() && isWanted(entry.name))
    .map(({ parentPath, name }) => relative(join(root, base), join(parentPath, name)));
}

/** Copies a file for browsers unchanged. @returns whether it differs from the previous copy */
async function copyOfPage(file) {
  const [from, to] = [join(root, file), join(root, 'dist', file)];
  const [wanted, there] = await Promise.all([readFile(from, 'utf8'), readFile(to, 'utf8').catch(() => '')]);
  if (wanted === there) return false;
  await place(to, wanted);
  return true;
}

async function copyOfRedoc(name) {
  const [from, to] = [join(root, 'node_modules/redoc/bundles', name), join(root, 'dist/redoc', name)];
  const [there, wanted] = await Promise.all([to, from].map((file) => modified(file).catch(() => 0)));
  if (wanted === 0) console.warn(`${name} is not installed, so there is no /reference: run npm ci`);
  if (there >= wanted) return;
  const text = await readFile(from, 'utf8');
  await place(to, text.replaceAll(LOGO, NO_LOGO));
}

/** Renamed when complete: an interrupted build leaves no partial file that looks up to date. Several may run at once. */
async function place(to, text) {
  const draft = `${to}.${process.pid}`;
  await mkdir(dirname(to), { recursive: true });
  await writeFile(draft, text);
  await rename(draft, to);
}

const modified = async (file) => (await stat(file)).mtimeMs;
const outputOf = (source) => source.replace(/\.ts$/, '.js');
const remove = (output) => rm(join(root, 'dist', output), { force: true });

async function compile({ source, text, mark }, transform) {
  const [from, to] = [join(root, source), join(root, 'dist', outputOf(source))];
  const sourceFileName = relative(dirname(to), from).replaceAll('\\', '/');
  const { code, map } = await transform(text, {
    cwd: root,
    filename: from,
    sourceMaps: true,
    sourceFileName,
  });
  await place(`${to}.map`, map);
  await place(to, `${code}\n//# sourceMappingURL=${basename(to)}.map\n${mark}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  build({ begin: () => console.log('Building…') }).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
