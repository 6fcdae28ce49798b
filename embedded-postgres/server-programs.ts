import { type Binaries, loadBinaries } from './binaries.js';
import type { DataFolder } from './data-folder.js';
import { codeOf, EmbeddedPostgresError, toError } from './embedded-postgres.error.js';
import { ProgramFailed, runProgram } from './run-program.js';
import { canEnter, findServerUser, type ServerUser } from './server-user.js';

/** Runs PostgreSQL's programs as the user that PostgreSQL accepts: as ourselves, but for root. */
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
 * A checkout in root's home is closed to the server's user. Linux lets this one capability through without root's
 * others; access(2), which PostgreSQL asks about its binaries, honours it only with `no_setuid_fixup`.
 * See capabilities(7), "Ambient" and "The securebits flags".
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
