// petstore-platform test [text…] [--update]: runs the tests of a service with the runner of Node.js, on a PostgreSQL of their own. With
// --update, the test of the OpenAPI document writes it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

/** Tests need no durability. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '100' };

const root = process.cwd();
const { positionals: wanted, values } = parseArgs({
  allowPositionals: true,
  options: { update: { type: 'boolean' } },
});
const files = await filesToRun();
process.exitCode = files.length === 0 ? none() : build() || (await run());

/** Those whose sources exist: `dist` may have others, of sources that were removed. */
async function filesToRun() {
  const sources = await readdir(join(root, 'test'), { recursive: true });
  return sources
    .filter(
      (file) =>
        /[.-]spec\.ts$/.test(file) && (wanted.length === 0 || wanted.some((text) => file.includes(text))),
    )
    .map((file) => join(root, 'dist/test', file.replace(/ts$/, 'js')))
    .sort();
}

function none() {
  console.error('No file test/**/*spec.ts has one of these texts in its path.');
  return 1;
}

/** @returns 0, or the exit code of the compiler */
function build() {
  const run = (...args) =>
    spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] }).status ?? 1;
  return (
    run('node_modules/@nestjs/cli/bin/nest.js', 'build') ||
    run('node_modules/@swc/cli/bin/swc.js', 'test', '--out-dir', 'dist', '--quiet', '--source-maps', 'true')
  );
}

async function run() {
  const { migrate, migrationsOf, openEmbeddedPostgres } =
    await import('../../dist/src/platform/program/tools.js');
  const { SERVICE } = await import(pathToFileURL(join(root, 'dist/src/service.js')).href);
  const folder = await mkdtemp(join(tmpdir(), `${SERVICE.program}-test-`));
  try {
    const server = await openEmbeddedPostgres(folder, { lock: 'exclusive', settings: SETTINGS });
    try {
      await migrate(server.url, migrationsOf(SERVICE)); // the template that each suite gets a copy of
      const globals = import.meta.resolve('../../dist/src/platform/program/testing/globals.js');
      const flags = ['--enable-source-maps', '--import', globals, '--test', '--test-reporter=spec'];
      const limit = `--test-concurrency=${availableParallelism()}`;
      const tests = spawn(process.execPath, [...flags, limit, ...files], {
        cwd: root,
        stdio: 'inherit',
        env: {
          ...process.env,
          NODE_ENV: 'test',
          ...(values.update && { UPDATE_OPENAPI: 'true' }),
          TEST_SERVER: Object.assign(new URL(server.superuserUrl), { pathname: '/postgres' }).href,
        },
      });
      const [code] = await once(tests, 'close');
      return code ?? 1;
    } finally {
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
