import { execFileSync } from 'node:child_process';
import { appendFile, chmod, chown, copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS } from './migrations.js';
import { openEmbeddedPostgres } from '../../src/platform/data/embedded-postgres/embedded-postgres.js';
import { findRunningServer } from '../../src/platform/data/embedded-postgres/postmaster-pid.js';
import { migrate } from '../../src/platform/data/database/migrations/migrate.js';
import type { Certificates } from './certificates.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { childrenOf, isAlive, signal } from './processes.js';
import { withClient } from './test-database.js';

/** A real, migrated PostgreSQL that a test may kill, freeze and restart. */
export class PostgresServer {
  private constructor(
    private readonly folder: string,
    private readonly settings: Record<string, string>,
    private server: Awaited<ReturnType<typeof openEmbeddedPostgres>>,
  ) {}

  /** @param folder an empty one, by default of its own */
  static async start(folder?: string, migrations = MIGRATIONS): Promise<PostgresServer> {
    folder ??= await mkdtemp(join(tmpdir(), 'petstore-postgres-'));
    const settings = { port: String(await freePort()), max_connections: '25' };
    const server = await openEmbeddedPostgres(folder, { lock: 'shared', settings });
    await migrate(server.url, migrations);
    return new PostgresServer(folder, settings, server);
  }

  /**
   * Creates a hot standby from a copy of the primary's data; the primary is down meanwhile. Afterwards, it commits only
   * what both have.
   */
  static async standbyOf(primary: PostgresServer): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'petstore-standby-'));
    await primary.server.stop();
    execFileSync('cp', ['-a', `${primary.folder}/.`, folder]);
    await primary.launch();
    const { hostname, port, username, password } = new URL(primary.url);
    const settings = {
      ...primary.settings,
      port: String(await freePort()),
      primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password} application_name=standby`,
    };
    await writeFile(join(folder, 'postgres', 'standby.signal'), '');
    const server = await openEmbeddedPostgres(folder, { lock: 'shared', settings });
    await primary.set('synchronous_standby_names', 'standby');
    await eventually(async () => {
      const [row] = await primary.query('SELECT 1 FROM pg_stat_replication WHERE sync_state = $1', ['sync']);
      return row !== undefined;
    });
    return new PostgresServer(folder, settings, server);
  }

  async query(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return withClient(
      this.url,
      async (client) => (await client.query<Record<string, unknown>>(sql, values)).rows,
    );
  }

  /** Changes a setting of the running server. */
  async set(name: string, value: string): Promise<void> {
    await this.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    await this.query('SELECT pg_reload_conf()');
  }

  /** Restarts it with TLS. */
  async useTls({ certificate, key }: Certificates): Promise<void> {
    await this.server.stop();
    const cluster = join(this.folder, 'postgres');
    const { uid, gid } = await stat(cluster);
    for (const [from, name] of [
      [certificate, 'server.pem'],
      [key, 'server-key.pem'],
    ] as const) {
      await copyFile(from, join(cluster, name));
      await chmod(join(cluster, name), 0o600);
      await chown(join(cluster, name), uid, gid);
    }
    Object.assign(this.settings, { ssl: 'on', ssl_cert_file: 'server.pem', ssl_key_file: 'server-key.pem' });
    await this.launch();
  }

  /** Restarts it so that a program at the other end of a network reaches it. @returns its URL there */
  async listenOn({ here, there }: { readonly here: string; readonly there: string }): Promise<string> {
    await this.server.stop();
    await appendFile(
      join(this.folder, 'postgres', 'pg_hba.conf'),
      `host all all ${there}/32 scram-sha-256\n`,
    );
    this.settings.listen_addresses = `127.0.0.1,${here}`;
    await this.launch();
    return Object.assign(new URL(this.url), { hostname: here }).href;
  }

  get url(): string {
    return this.server.superuserUrl; // tests change its settings
  }

  /** Simulates a power failure, except that written data is kept. */
  async kill(): Promise<void> {
    const processes = await this.processes();
    for (const pid of processes) signal(pid, 'SIGKILL');
    await eventually(() => !processes.some(isAlive));
  }

  /** Restarts it on the same port. */
  async launch(): Promise<void> {
    this.server = await openEmbeddedPostgres(this.folder, { lock: 'shared', settings: this.settings });
  }

  async freeze(): Promise<void> {
    for (const pid of await this.processes()) signal(pid, 'SIGSTOP');
  }

  async thaw(): Promise<void> {
    for (const pid of await this.processes()) signal(pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    await this.thaw();
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The postmaster comes first, because once stopped it starts no more processes. Others may end by themselves. */
  private async processes(): Promise<number[]> {
    const running = await findRunningServer(join(this.folder, 'postgres'));
    return running ? [running.pid, ...childrenOf(running.pid)] : [];
  }
}
