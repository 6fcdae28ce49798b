import { cp, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { emptyFolder, type Ended, run } from './program.js';
import { createTestDatabase } from './test-database.js';

const ROOT = join(import.meta.dirname, '../..');
const LEFT_OUT = ['node_modules', 'dist', '.git', '.petstore', 'coverage'];

/** A copy of what the service is built from, not built yet, that a test may change. */
export async function checkout(): Promise<Awaited<ReturnType<typeof emptyFolder>>> {
  const folder = await emptyFolder();
  for (const path of [
    'package.json',
    'package-lock.json',
    '.swcrc',
    'bin',
    'tools/scripts',
    'src',
    'migrations',
    'embedded-postgres',
  ])
    await cp(join(ROOT, path), join(folder.path, path), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
  return folder;
}

/** A copy of the whole repository. */
export class WorkingCopy {
  private constructor(
    readonly path: string,
    private readonly folder: Awaited<ReturnType<typeof emptyFolder>>,
  ) {}

  static async make(): Promise<WorkingCopy> {
    const folder = await emptyFolder();
    const { path } = folder;
    await cp(ROOT, path, { recursive: true, filter: (file) => !LEFT_OUT.includes(basename(file)) });
    await symlink(join(ROOT, 'node_modules'), join(path, 'node_modules'));
    return new WorkingCopy(path, folder);
  }

  remove(): Promise<void> {
    return this.folder.remove();
  }

  /** Runs one of its scripts. */
  run(script: string, args: readonly string[], env?: Record<string, string>): Promise<Ended> {
    return run(script, args, { cwd: this.path, env });
  }

  /** Runs a program of a package. */
  npx(path: string, ...args: string[]): Promise<Ended> {
    return this.run(join('node_modules', path), args);
  }

  /** Builds it, and runs some of its tests on its own tables, in the server that runs already. */
  async test(...patterns: string[]): Promise<Ended> {
    const built = await this.run('tools/scripts/build.mjs', []);
    if (built.code !== 0) return built;
    const database = await createTestDatabase('template1');
    try {
      const migrated = await this.migrate(database.url);
      return migrated.code === 0 ? await this.testOn(database.url, patterns) : migrated;
    } finally {
      await database.drop();
    }
  }

  private migrate(url: string): Promise<Ended> {
    return this.run('--input-type=module', [
      '-e',
      "import { migrate } from './dist/src/database/migrations/migrate.js'; await migrate(process.argv[1]);",
      url,
    ]);
  }

  private async testOn(url: string, patterns: readonly string[]): Promise<Ended> {
    const config = join(this.path, 'jest.running-server.config.mjs');
    await writeFile(
      config,
      `import config from './jest.config.mjs';
       const { globalSetup, globalTeardown, ...rest } = config;
       export default rest;`,
    );
    return this.run('node_modules/jest/bin/jest.js', ['--config', config, '--ci', ...patterns], {
      PETSTORE_TEST_SERVER: Object.assign(new URL(url), { pathname: '/postgres' }).href,
      PETSTORE_TEST_TEMPLATE: new URL(url).pathname.slice(1),
    });
  }
}
