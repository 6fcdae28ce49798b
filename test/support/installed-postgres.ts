import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';

const VERSIONS = '/usr/lib/postgresql'; // on Debian and Ubuntu

/** The programs of the machine's own PostgreSQL. The embedded one may be too new for the machine's `pg_dump`. */
function findPrograms(): string | undefined {
  if (!existsSync(VERSIONS)) return undefined;
  const [newest] = readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a));
  const folder = join(VERSIONS, newest ?? '', 'bin');
  return ['initdb', 'pg_ctl', 'pg_dump'].every((name) => existsSync(join(folder, name))) ? folder : undefined;
}

export const INSTALLED_POSTGRES = findPrograms();

/** A new server of the machine's own PostgreSQL, with an empty database `petstore` owned by the role `petstore`. */
export class InstalledPostgres {
  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly owner: { uid?: number; gid?: number },
  ) {}

  static async start(): Promise<InstalledPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'petstore-installed-'));
    const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}; // PostgreSQL refuses to run as root
    if (owner.uid !== undefined) {
      chownSync(folder, owner.uid, owner.gid);
      chmodSync(tmpdir(), statSync(tmpdir()).mode | 0o011); // the folder of the run is closed to other users
    }
    const server = new InstalledPostgres(folder, await freePort(), owner);
    server.run(
      'initdb',
      '--auth=trust',
      '--username=petstore',
      '--encoding=UTF8',
      '--no-sync',
      '--pgdata',
      folder,
    );
    const options = `-p ${server.port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`;
    server.run(
      'pg_ctl',
      'start',
      '--wait',
      '--silent',
      '--pgdata',
      folder,
      '--log',
      join(folder, 'log'),
      '--options',
      options,
    );
    server.run(
      'psql',
      '--quiet',
      '--host',
      folder,
      '--port',
      String(server.port),
      '--username=petstore',
      '--dbname=postgres',
      '--command=CREATE DATABASE petstore',
    );
    return server;
  }

  get url(): string {
    return `postgres://petstore@127.0.0.1:${this.port}/petstore`;
  }

  /** The environment for PostgreSQL's programs. */
  get env(): Record<string, string> {
    const PATH = `${INSTALLED_POSTGRES}:${process.env.PATH}`;
    return {
      PATH,
      PGHOST: this.folder,
      PGPORT: String(this.port),
      PGUSER: 'petstore',
      PGDATABASE: 'petstore',
    };
  }

  /** Removes the server and its data. */
  destroy(): void {
    this.run('pg_ctl', 'stop', '--mode=immediate', '--wait', '--silent', '--pgdata', this.folder);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private run(program: string, ...args: string[]): void {
    execFileSync(join(INSTALLED_POSTGRES ?? '', program), args, { ...this.owner, cwd: '/', stdio: 'ignore' });
  }
}

const idOf = (flag: '-u' | '-g'): number =>
  Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
