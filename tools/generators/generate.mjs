#!/usr/bin/env node
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { checkFree } from './check.mjs';
import { nextTime } from '../scripts/migrations.mjs';
import { GeneratorError, substitutions } from './names.mjs';
import { register } from './register.mjs';
import { render } from './render.mjs';

/** Of the service, where npm runs its scripts. */
const ROOT = process.cwd();
/** The page is in the package if the service has installed it. */
const PAGE = relative(ROOT, join(import.meta.dirname, '../../docs/extending.md'));

const USAGE = `Generates a module with its migration and tests, and adds it to src/features.ts.

  npm run generate -- <name> [--singular=<name>] [--dry-run]

  <name>      name of the module, plural and in kebab-case: categories, opening-hours
  --singular  the singular, if it cannot be derived: people --singular=person
  --dry-run   only list what would be written
`;

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof GeneratorError) && !String(error.code).startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(`${error.message}\nNothing was written.`);
  process.exitCode = 1;
}

async function run(args) {
  const { plural, singular, help, dryRun } = read(args);
  if (help) return console.log(USAGE);
  const names = substitutions(plural, singular);
  const files = await render(ROOT, names, await nextTime(ROOT));
  const named = Object.fromEntries(names);
  await checkFree(ROOT, plural, named.pet_toys, named.PetToy, named.petToy, files);
  const map = await register(ROOT, plural, `${named.PetToys}Module`);
  if (!dryRun) await writeAll(files, map);
  report(files, map, plural, dryRun);
}

function read(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      singular: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (!values.help && positionals.length !== 1) throw new GeneratorError(`One name is needed.\n\n${USAGE}`);
  return { plural: positionals[0], singular: values.singular, help: values.help, dryRun: values['dry-run'] };
}

/** The module list is written last, so that it never refers to files that could not be written. */
async function writeAll(files, map) {
  for (const { path, text } of files) {
    await mkdir(dirname(join(ROOT, path)), { recursive: true });
    await writeFile(join(ROOT, path), text, { flag: 'wx' }); // never overwrites a file
  }
  const migration = files.find(({ path }) => dirname(path) === 'migrations');
  await appendFile(
    join(ROOT, 'migrations/index.ts'),
    `export * from './${basename(migration.path, '.ts')}.js';\n`,
  );
  await writeFile(join(ROOT, map.path), map.text);
}

function report(files, map, plural, dryRun) {
  const would = dryRun ? 'would be ' : '';
  for (const { path } of files) console.log(`${would}created  ${path}`);
  for (const path of ['migrations/index.ts', map.path]) console.log(`${would}changed  ${path}`);
  if (dryRun) return console.log('\nThis was a dry run: nothing was written.');
  console.log(`
Next:
  npm start                  serves it; try it at http://127.0.0.1:3000/docs
  npm test -- ${plural.padEnd(14)} tests it
  npm run openapi:snapshot   documents it, before you commit
See ${PAGE} for more fields, filters, errors and limits.
`);
}
