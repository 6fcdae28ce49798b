// What `petstore-platform new` writes: the files of a service, of those beside this one that end in .template.
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { GeneratorError } from '../generators/names.mjs';

export const PLATFORM = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
const TEMPLATE = join(import.meta.dirname, 'template');
const SUFFIX = '.template';
/** What the names of a command, a package, a container and a metric have in common, with `-` for a metric's `_`. */
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Without what has a meaning in one of the languages of the files. */
const TITLE = /^[\p{L}\p{N}][\p{L}\p{N} .,&()’-]*$/u;

/**
 * The names of a service, as templates get them.
 * @param {string} program by default, that of its folder
 * @param {string} [title]
 * @param {string} module the first one, in plural
 * @throws {GeneratorError} if a command, a container, a metric or a page cannot have that name
 */
export function namesOf(program, title, module) {
  const words = program.split('-');
  const inWords = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  title ??= inWords.join(' ');
  if (!NAME.test(program) || program.length > 30 || program === PLATFORM.name)
    throw new GeneratorError(
      `The name of the service has at most 30 of a-z, 0-9 and -, such as books; "${program}" is none. Give one with --name.`,
    );
  if (!TITLE.test(title))
    throw new GeneratorError(`The title has letters, digits, spaces and . , & ( ) ’ - only: ${title}`);
  const prefix = words.join('_');
  const names = [
    ['__program__', program],
    ['__module__', module],
    ['__prefix__', prefix],
    ['Pet Store', title],
    ['pet store', /\bservice$/i.test(title) ? title : `${title} service`],
    ['Petstore(?=[A-Z])', inWords.join('')], // an alert
    ['petstore(?=[a-z])', words.join('')], // the same in an address
    ['PETSTORE(?=_)', prefix.toUpperCase()], // a variable
    ['petstore(?=_|:\\*)', prefix], // a metric, a role, the keys in Redis
    ['petstore(?!-platform)', program], // a command, a container, a database, a file
  ];
  const all = new RegExp(names.map(([from]) => `(${from})`).join('|'), 'g');
  const replace = (text) => text.replace(all, (_, ...found) => names[found.findIndex(Boolean)][1]);
  return { program, replace };
}

/**
 * Writes the files of a service, before its npm has run.
 * @param {string} folder
 * @param {{ file?: string, spec: string }} platform the package to copy, if it is a file, and what npm calls it
 * @param {{ program: string, replace: (text: string) => string }} names see `namesOf`
 * @returns how many lines of code it has written
 * @throws {GeneratorError} if something else in the stack of Compose has the name of the service
 */
export async function write(folder, { file, spec }, { program, replace }) {
  const templates = (await readdir(TEMPLATE, { recursive: true })).filter((name) => name.endsWith(SUFFIX));
  const taken = new RegExp(`^(  ${program}:$|user ${program} )`, 'm'); // a container, or a user in Redis
  for (const name of templates.filter((each) => each.includes('compose')))
    if (taken.test(await readFile(join(TEMPLATE, name), 'utf8')))
      throw new GeneratorError(`"${program}" has another meaning in ${name.slice(0, -SUFFIX.length)}.`);
  let lines = 0;
  for (const name of templates) {
    const path = join(folder, replace(name.slice(0, -SUFFIX.length)));
    const text = replace(await readFile(join(TEMPLATE, name), 'utf8'));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: 'wx', mode: text.startsWith('#!') ? 0o777 : 0o666 });
    if (/\.[jt]s$/.test(path)) lines += text.split('\n').length - 1;
  }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packageOf(program, spec), null, 2)}\n`, {
    flag: 'wx',
  });
  await mkdir(join(folder, 'vendor')); // the image copies it
  if (file) await copyFile(file, join(folder, 'vendor', basename(file)));
  else await writeFile(join(folder, 'vendor/.gitkeep'), '');
  return lines;
}

function packageOf(program, spec) {
  const { starter, peerDependencies, peerDependenciesMeta, engines, name } = PLATFORM;
  const command = (each) => `${name} ${each}`;
  // Any version, so that the platform alone says which: npm installs one that its package accepts.
  const peers = Object.keys(peerDependencies).filter((each) => !peerDependenciesMeta[each]?.optional);
  return {
    name: program,
    version: '0.1.0',
    private: true,
    license: 'MIT',
    type: 'module',
    engines,
    imports: { '#package.json': './package.json' },
    bin: { [program]: `bin/${program}.js` },
    scripts: {
      prestart: 'nest build',
      start: 'node --max-semi-space-size=32 dist/src/main.js',
      build: 'nest build',
      dev: command('dev'),
      test: command('test'),
      'openapi:snapshot': command('test service.spec --update'),
      generate: command('generate'),
      migration: command('migration'),
      typecheck: 'tsc --noEmit',
      format: 'prettier --write .',
    },
    dependencies: { ...Object.fromEntries(peers.map((each) => [each, '*'])), [name]: spec },
    devDependencies: starter.devDependencies,
    overrides: starter.overrides,
    allowScripts: starter.allowScripts,
    prettier: { singleQuote: true, trailingComma: 'all', printWidth: 110 },
  };
}
