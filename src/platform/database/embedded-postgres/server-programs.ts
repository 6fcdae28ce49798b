import { execFile, type ExecFileOptions } from 'node:child_process';
import type { DataFolder } from './data-folder.js';
import { codeOf, EmbeddedPostgresError, toError } from './embedded-postgres.error.js';
import { canEnter, findServerUser, type ServerUser } from './server-user.js';

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
    if (['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(codeOf(error) ?? '')) {
      throw EmbeddedPostgresError.missing(name);
    }
    throw error;
  }
}

/** Runs PostgreSQL's programs as a user that PostgreSQL accepts: the current user, or another one if that is root. */
export class ServerPrograms {
  private constructor(
    private readonly folder: DataFolder,
    private readonly binaries: Binaries,
    readonly user: ServerUser | undefined,
    private readonly throughClosedFolders: boolean,
  ) {}

  static async load(folder: DataFolder): Promise<ServerPrograms> {
    const binaries = await loadBinaries();
    const user = await findServerUser(folder.cluster).catch((error: unknown) => {
      throw EmbeddedPostgresError.asRoot(toError(error));
    });
    const closed =
      user !== undefined &&
      !((await canEnter(user, folder.path)) && (await canEnter(user, binaries.postgres)));
    return new ServerPrograms(folder, binaries, user, closed);
  }

  async run(program: keyof Binaries, args: string[]): Promise<void> {
    try {
      await this.runAsServerUser(this.binaries[program], args);
    } catch (error) {
      throw this.explain(error);
    }
  }

  private runAsServerUser(path: string, args: string[]): Promise<void> {
    const cwd = this.folder.path;
    if (this.user === undefined) return runProgram(path, args, { cwd });
    if (!this.throughClosedFolders) return runProgram(path, args, { cwd, ...this.user });
    return runProgram('setpriv', [...passClosedFolders(this.user), path, ...args], { cwd });
  }

  private explain(thrown: unknown): Error {
    const error = toError(thrown);
    if (this.user !== undefined && this.couldNotBecome(error)) return EmbeddedPostgresError.asRoot(error);
    const couldNotRun = error instanceof ProgramFailed && error.couldNotRun;
    return couldNotRun ? EmbeddedPostgresError.cannotRun(error) : error;
  }

  private couldNotBecome(error: Error): boolean {
    const noSetpriv = this.throughClosedFolders && codeOf(error) === 'ENOENT';
    return noSetpriv || codeOf(error) === 'EPERM' || error.message.startsWith('setpriv: ');
  }
}

/**
 * A checkout in root's home is inaccessible to the server's user. On Linux, this passes on the one capability needed,
 * without root's others. access(2), which PostgreSQL uses to check its binaries, honours it only with
 * `no_setuid_fixup`. See capabilities(7), "Ambient" and "The securebits flags".
 */
function passClosedFolders({ uid, gid }: ServerUser): string[] {
  return [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    '--securebits=+no_setuid_fixup',
    '--',
  ];
}

/** A program that could not be run, or ended with a non-zero exit code. */
export class ProgramFailed extends Error {
  constructor(
    /** The last line it wrote. */
    message: string,
    /** The exit code, or the code of the system error that prevented it from running. */
    readonly code: number | string | null | undefined,
  ) {
    super(message);
  }

  /**
   * True if the program is missing, is for another processor or C library (126 and 127, as in a shell), or lacks a
   * shared library.
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
