#!/usr/bin/env node
// npm run migration -- <name>: writes a migration for the differences between the entities and the tables made by all
// migrations.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { nextTime } from './migrations.mjs';

/** Of the service, where npm runs its scripts. */
const root = process.cwd();
const USAGE = `Writes migrations/<time>-<name>.ts with the differences between your entities and the tables.

  npm run migration -- <name> [--empty]

  <name>   what changes, in kebab-case: add-supplier-phone
  --empty  without the differences, for SQL of your own
`;
/** A temporary database, built from all migrations for the comparison, next to the service's own. */
const DRAFT = `migration_draft_${process.pid}`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' }, empty: { type: 'boolean' } },
});
if (values.help) console.log(USAGE);
else if (positionals.length !== 1 || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(positionals[0])) fail(USAGE);
else await (values.empty ? writeEmpty : writeMigration)(positionals[0]).catch(({ message }) => fail(message));

async function writeEmpty(name) {
  const time = await nextTime(root);
  const file = `migrations/${time}-${name}.ts`;
  const words = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const text = `import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ${words.join('')}${time} implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('');
  }
}
`;
  await writeFile(join(root, file), text, { flag: 'wx' });
  await register(file);
  console.log(`created  ${file}\n\nWrite its SQL before you use it: npm run dev and npm start apply it.`);
}

async function writeMigration(name) {
  await promisify(execFile)(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'build'], {
    cwd: root,
  });
  const [tools, { SERVICE }, { default: pg }] = await Promise.all([
    import('../../dist/src/platform/program/tools.js'),
    import(pathToFileURL(join(root, 'dist/src/service.js')).href),
    import('pg'),
  ]);
  const { Config, DatabaseConfig, migrate, migrationsOf, openUnmigrated } = tools;
  const server = await openUnmigrated(new Config().read(DatabaseConfig).dataDir);
  // The service's own account creates no databases.
  const client = new pg.Client({ connectionString: server.superuserUrl });
  let lost;
  client.on('error', (error) => (lost = error));
  try {
    await client.connect();
    await client.query(`CREATE DATABASE ${DRAFT} OWNER ${new URL(server.url).username}`);
    const url = Object.assign(new URL(server.url), { pathname: `/${DRAFT}` }).href;
    await migrate(url, migrationsOf(SERVICE));
    const { file, errors } = await generate(name, url);
    if (lost && !file) throw lost;
    report(file, errors);
  } catch (error) {
    throw lost ? new Error(`PostgreSQL has stopped (${lost.message}). Run it again.`) : error;
  } finally {
    if (!lost) await client.query(`DROP DATABASE IF EXISTS ${DRAFT} WITH (FORCE)`);
    await client.end();
    await server.stop();
  }
}

/** TypeORM's own command compares the schemas. @returns the file it wrote, if any, or what it says if it fails */
async function generate(name, url) {
  const file = `migrations/${await nextTime(root)}-${name}.ts`;
  const args = ['node_modules/typeorm/cli.js', 'migration:generate', `migrations/${name}`];
  args.push('-d', 'dist/src/data-source.js', '-t', file.match(/\d+/)[0]);
  const typeorm = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, DATABASE_URL: url, DATABASE_DIRECT_URL: url, NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = [typeorm.stdout, typeorm.stderr].map((stream) => stream.setEncoding('utf8').toArray());
  const [code] = await once(typeorm, 'close');
  const said = (await Promise.all(output)).flat().join('');
  if (said.includes('No changes in database schema were found')) return {};
  if (code !== 0) return { errors: said };
  const prettier = join(root, 'node_modules/prettier/bin/prettier.cjs');
  await promisify(execFile)(process.execPath, [prettier, '--write', file], { cwd: root });
  await register(file);
  return { file };
}

async function register(file) {
  await appendFile(join(root, 'migrations/index.ts'), `export * from './${basename(file, '.ts')}.js';\n`);
}

function report(file, errors) {
  if (errors) fail(errors);
  else if (!file)
    console.log('Nothing to write: your entities match the tables. For SQL of your own, add --empty.');
  else console.log(`created  ${file}\n\nReview it before you use it: npm run dev and npm start apply it.`);
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
