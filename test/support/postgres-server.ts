import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedPostgres } from '../../embedded-postgres/embedded-postgres.js';
import { findRunningServer } from '../../embedded-postgres/postmaster-pid.js';
import { migrate } from '../../src/database/migrations/migrate.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { childrenOf, isAlive } from './processes.js';

/** A real PostgreSQL of the test's own, migrated, that it may kill, freeze and start again. */
export class PostgresServer {
  private constructor(
    private readonly folder: string,
    private readonly settings: Record<string, string>,
    private server: Awaited<ReturnType<typeof openEmbeddedPostgres>>,
  ) {}

  static async start(): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'petstore-postgres-'));
    const settings = { port: String(await freePort()), max_connections: '25' };
    const server = await openEmbeddedPostgres(folder, { as: 'visitor', settings });
    await migrate(server.url);
    return new PostgresServer(folder, settings, server);
  }

  get url(): string {
    return this.server.url;
  }

  /** As if the machine had lost power, but for what the disk has. */
  async kill(): Promise<void> {
    const processes = await this.processes();
    for (const pid of processes) process.kill(pid, 'SIGKILL');
    await eventually(() => !processes.some(isAlive));
  }

  /** Starts it again, on the same port. */
  async launch(): Promise<void> {
    this.server = await openEmbeddedPostgres(this.folder, { as: 'visitor', settings: this.settings });
  }

  async freeze(): Promise<void> {
    for (const pid of await this.processes()) process.kill(pid, 'SIGSTOP');
  }

  async thaw(): Promise<void> {
    for (const pid of await this.processes()) process.kill(pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    await this.thaw();
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The postmaster first: what it has not started by then it cannot start after it was stopped. */
  private async processes(): Promise<number[]> {
    const running = await findRunningServer(join(this.folder, 'postgres'));
    return running ? [running.pid, ...childrenOf(running.pid)] : [];
  }
}
