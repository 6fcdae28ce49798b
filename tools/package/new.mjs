// petstore-platform new <folder>: begins a service, installs its packages and generates its first module.
import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { basename, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { GeneratorError, substitutions } from '../generators/names.mjs';
import { namesOf, PLATFORM, write } from './starter.mjs';

const USAGE = `Begins a service in a new folder.

  npm exec --yes --package ./${PLATFORM.name}-${PLATFORM.version}.tgz -- ${PLATFORM.name} new <folder> --module <name>

  <folder>      a new one, or one that is empty: ../books
  --name        of the service, in kebab-case: books; by default, that of the folder
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
  for (const name of ['name', 'module', 'singular', 'title', 'platform']) options[name] = { type: 'string' };
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (values.help) return console.log(USAGE);
  if (positionals.length !== 1 || !values.module)
    throw new GeneratorError(`A folder and --module are needed.\n\n${USAGE}`);
  const folder = resolve(positionals[0]);
  const names = namesOf(values.name ?? basename(folder), values.title, values.module);
  substitutions(values.module, values.singular); // throws if they cannot be names
  if ((await readdir(folder).catch(() => [])).length > 0) throw new GeneratorError(`${folder} is not empty.`);
  const platform = await findPlatform(values.platform ?? process.env.npm_config_package);
  const lines = await write(folder, platform, names);
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
