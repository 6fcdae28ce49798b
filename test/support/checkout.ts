import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { causeIn } from './cause.js';
import { emptyFolder, type Ended, run } from './program.js';

const ROOT = join(import.meta.dirname, '../..');
/** Environment variables passed to runs of a test. Without `CI`, missing programs skip their tests. */
const OF_THIS_RUN = /^(CI|NODE_ENV|NODE_COMPILE_CACHE|(JEST|PETSTORE)_.*)$/;
const LEFT_OUT = ['node_modules', 'dist', '.git', '.petstore', 'coverage'];

/** A copy of the service's sources, not yet built, that a test may change. */
export async function checkout(): Promise<Awaited<ReturnType<typeof emptyFolder>>> {
  const folder = await emptyFolder();
  for (const path of [
    'package.json',
    'package-lock.json',
    '.swcrc',
    'nest-cli.json',
    'tsconfig.json',
    'bin',
    'tools/scripts',
    'src',
    'migrations',
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

  /** Runs a program of an installed package. */
  npx(path: string, ...args: string[]): Promise<Ended> {
    return this.run(join('node_modules', path), args);
  }

  /** Runs commands as a reader would type them. @throws Error with the cause if one fails */
  async type(commands: string): Promise<void> {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_THIS_RUN.test(name)));
    const shell = spawn('sh', ['-ec', commands], { cwd: this.path, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const output of [shell.stdout, shell.stderr])
      output.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const [code] = (await once(shell, 'close')) as [number | null];
    if (code !== 0) throw new Error(`${commands}\nfailed:\n${causeIn(printed)}`);
  }
}
