// petstore-platform new <folder>: begins a service, installs its packages and generates its first module.
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { GeneratorError, substitutions } from '../generators/names.mjs';

const PLATFORM = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
const TEMPLATE = join(import.meta.dirname, 'template');
const SUFFIX = '.template';
/** What the names of a command, a package and a metric have in common, with `-` for a metric's `_`. */
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

const USAGE = `Begins a service in a new folder.

  npm exec --package ./${PLATFORM.name}-${PLATFORM.version}.tgz -- ${PLATFORM.name} new <folder> --module <name>

  <folder>      its name becomes that of the service, in kebab-case: ../books
  --module      the first module, plural and in kebab-case: books
  --singular    its singular, if it cannot be derived
  --title       the title of documents and pages, such as "Book Club"; by default, from the name
  --platform    the package, as a file or a URL; by default, what npm exec has got
`;

try {
  await run();
} catch (error) {
  if (!(error instanceof GeneratorError) && !String(error.code).startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(`${error.message}\nNothing was written.`);
  process.exitCode = 1;
}

async function run() {
  const options = { help: { type: 'boolean', short: 'h' } };
  for (const name of ['module', 'singular', 'title', 'platform']) options[name] = { type: 'string' };
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (values.help) return console.log(USAGE);
  if (positionals.length !== 1 || !values.module)
    throw new GeneratorError(`A folder and --module are needed.\n\n${USAGE}`);
  const folder = resolve(positionals[0]);
  const program = basename(folder);
  if (!NAME.test(program) || program.length > 30 || program === PLATFORM.name)
    throw new GeneratorError(
      `The folder's name becomes that of the service: at most 30 of a-z, 0-9 and -, such as books; "${program}" is not.`,
    );
  substitutions(values.module, values.singular); // throws if they cannot be names
  if ((await readdir(folder).catch(() => [])).length > 0) throw new GeneratorError(`${folder} is not empty.`);
  const platform = await findPlatform(values.platform ?? process.env.npm_config_package);
  const lines = await write(folder, platform, namesOf(program, values.title, values.module));
  console.log(`${folder}: ${lines} lines`);
  finish(folder, values);
}

/** @returns the file to copy into the service, or the address from which npm gets the package */
async function findPlatform(given = '') {
  if (/^https?:/.test(given)) return { spec: given };
  const file = resolve(given.replace(/^file:/, ''));
  if (!given.endsWith('.tgz'))
    throw new GeneratorError(`Name the package with --platform, as a .tgz file or a URL.`);
  return { file, spec: `file:vendor/${basename(file)}` };
}

function namesOf(program, title, module) {
  const words = program.split('-');
  const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);
  title ??= words.map(capital).join(' ');
  const texts = new Map([
    ['__program__', program],
    ['__module__', module],
    ['Pet Store', title],
    ['pet store', title.toLowerCase()],
    ['Petstore', words.map(capital).join('')],
    ['petstore', words.join('_')],
  ]);
  // Not in the name of the package, nor in the addresses of the platform's own pages.
  const all =
    /__program__|__module__|Pet Store|pet store|Petstore(?=[A-Z])|petstore(?!-platform|\/blob|[a-z])/g;
  return { program, replace: (text) => text.replace(all, (found) => texts.get(found)) };
}

/** @returns how many lines of code it has written */
async function write(folder, { file, spec }, { program, replace }) {
  const templates = (await readdir(TEMPLATE, { recursive: true })).filter((name) => name.endsWith(SUFFIX));
  let lines = 0;
  for (const name of templates) {
    const path = join(folder, replace(name.slice(0, -SUFFIX.length)));
    const text = replace(await readFile(join(TEMPLATE, name), 'utf8'));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: 'wx' });
    if (/\.[jt]s$/.test(path)) lines += text.split('\n').length - 1;
  }
  await chmod(join(folder, 'bin', `${program}.js`), 0o755);
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
      'openapi:snapshot': 'UPDATE_OPENAPI=true npm test -- service.spec',
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

/** Runs the service's own npm, in its folder. */
function finish(folder, { module, singular }) {
  const steps = [
    ['install', '--no-audit', '--no-fund'],
    ['run', '--silent', 'generate', '--', module, ...(singular ? [`--singular=${singular}`] : [])],
    ['run', '--silent', 'format', '--', '--log-level=warn'],
    ['run', '--silent', 'openapi:snapshot'],
  ];
  // Without what `npm exec` has set, such as which package it runs.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$/.test(name)),
  );
  for (const step of steps) {
    console.log(`npm ${step.join(' ')}`);
    const { status } = spawnSync('npm', step, {
      cwd: folder,
      env,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    });
    if (status === 0) continue;
    console.error(`npm ${step.join(' ')} has failed. The service is in ${folder}; what is left to run there is this, and what follows:
${steps
  .slice(steps.indexOf(step))
  .map((each) => `  npm ${each.join(' ')}`)
  .join('\n')}`);
    process.exitCode = 1;
    return;
  }
  console.log(`\nNext:\n  cd ${JSON.stringify(relative(process.cwd(), folder) || '.')}\n  npm start`);
}
