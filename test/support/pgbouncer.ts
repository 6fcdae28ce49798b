import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { accepts } from './postgres-pair.js';
import { readText } from './repository.js';

/** PgBouncer refuses to run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** What the page tells its readers to set. */
const [, STARTUP = 'not found', CONNECT_QUERY = 'not found'] =
  /`(ignore_startup_parameters = [^`]+)`[^]+?`(connect_query=[^`]+)`/.exec(readText('docs/running.md')) ?? [];

/** A PgBouncer in front of a database. */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly url: string,
  ) {}

  /**
   * @param settings lines of its configuration
   * @param options.at the URL of one that has ended, to take its place
   * @param options.connectQuery instead of the one of the page
   */
  static async before(
    databaseUrl: string,
    settings: readonly string[],
    { at, connectQuery = CONNECT_QUERY }: { readonly at?: string; readonly connectQuery?: string } = {},
  ): Promise<PgBouncer> {
    const { hostname, port, username, password, pathname } = new URL(databaseUrl);
    const folder = await mkdtemp(join(tmpdir(), 'petstore-pgbouncer-'));
    const listenPort = at === undefined ? await freePort() : Number(new URL(at).port);
    const file = join(folder, 'pgbouncer.ini');
    const server = `host=${hostname} port=${port} user=${username} password=${password}`;
    const lines = [
      '[databases]',
      `${pathname.slice(1)} = ${server} ${connectQuery}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listenPort}`,
      'unix_socket_dir =',
      'auth_type = any',
      STARTUP,
      ...settings,
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    // Passed as a descriptor, because the user that runs it may not enter the folder of a test run.
    const handle = await open(file);
    const child = spawn('pgbouncer', ['/dev/stdin'], {
      stdio: [handle.fd, 'ignore', 'ignore'],
      ...(process.getuid?.() === 0 && NOBODY),
    });
    await handle.close();
    await eventually(() => accepts(listenPort));
    // Without the `options` of an embedded server, which PgBouncer refuses.
    const url = Object.assign(new URL(databaseUrl), {
      port: String(listenPort),
      search: '?sslmode=disable',
    }).href;
    return new PgBouncer(child, folder, url);
  }

  async stop(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
    await rm(this.folder, { recursive: true });
  }
}
