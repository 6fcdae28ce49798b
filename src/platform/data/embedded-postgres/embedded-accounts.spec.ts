import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { chmod, mkdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { eventually } from '../../../../test/support/eventually.js';
import { skipped } from '../../../../test/support/skipped.js';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  openEmbeddedPostgres,
} from './embedded-postgres.js';
import { findRunningServer } from './postmaster-pid.js';

const options: EmbeddedPostgresOptions = { lock: 'exclusive', settings: { fsync: 'off' } };
const isRoot = process.getuid?.() === 0;
const itAsRoot = isRoot ? it : it.skip;
if (!isRoot) skipped('tests of an embedded PostgreSQL that root starts', 'be root');

const ANSWER = [{ value: 42 }];

let scratch: string;
let dataDir: string;
let opened: EmbeddedPostgres[];

/** Creating a cluster takes a second, so the tests of a group use the same one, in order. */
async function useNewFolder(): Promise<void> {
  scratch = mkdtempSync(join(tmpdir(), 'petstore-embedded-'));
  await chmod(scratch, 0o755);
  dataDir = join(scratch, "the data's folder");
  opened = [];
}

async function removeFolder(): Promise<void> {
  await stopAll();
  const home = await readlink(join(dataDir, 'postgres')).catch(() => undefined);
  if (home !== undefined) await rm(dirname(home), { recursive: true });
  await rm(scratch, { recursive: true });
}

async function stopAll(): Promise<void> {
  for (const server of opened.splice(0)) await server.stop();
}

describe('The server of a service', () => {
  let server: EmbeddedPostgres;
  const events: string[] = [];

  beforeAll(async () => {
    await useNewFolder();
    await mkdir(dataDir, { mode: 0o700 }); // if root runs the tests, the server may not enter it yet
    server = await start({ ...options, report: (event) => events.push(event) });
  });
  afterAll(removeFolder);

  it('logs into its data folder', () => {
    expect(existsSync(join(dataDir, 'postgres.log'))).toBe(true);
  });

  it('gives the service an account that owns its database, and can neither run programs, read files nor become a superuser', async () => {
    const { url } = server;
    await query(url, 'CREATE TABLE own (id int)');
    await expect(query(url, `COPY own FROM PROGRAM 'echo 1'`)).rejects.toThrow('permission denied');
    await expect(query(url, `SELECT pg_read_file('/etc/passwd')`)).rejects.toThrow('permission denied');
    await expect(query(url, 'ALTER ROLE CURRENT_USER SUPERUSER')).rejects.toThrow('permission denied');
  });

  it('does not reveal the password of the superuser to it', () => {
    expect(new URL(server.url).password).not.toBe(new URL(server.superuserUrl).password);
  });

  it('is started again on the same port when it is killed, until the service stops', async () => {
    const running = await findRunningServer(join(dataDir, 'postgres'));
    process.kill(running?.pid ?? 0, 'SIGKILL');
    await eventually(
      async () => (await query(server.url, 'SELECT 1 AS one').catch(() => []))[0] !== undefined,
    );
    await eventually(() => events.at(-1)?.endsWith('runs again.') ?? false);
    expect(events[0]).toContain('is gone');
    expect((await findRunningServer(join(dataDir, 'postgres')))?.pid).not.toBe(running?.pid);
    await server.stop();
    expect(await findRunningServer(join(dataDir, 'postgres'))).toBeUndefined();
  });

  it('is refused if the superuser owns its database, as before 1.3, and left as it is', async () => {
    const first = await start();
    await query(first.superuserUrl, 'CREATE DATABASE old');
    await first.stop();
    await expect(start({ ...options, database: 'old' })).rejects.toThrow(
      `The data folder ${dataDir} cannot be used (its database is of a version before 1.3): start 1.3 with it once, or set`,
    );
    expect(await findRunningServer(join(dataDir, 'postgres'))).toBeUndefined();
    const again = await start();
    expect(
      await query(
        again.superuserUrl,
        `SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'old'`,
      ),
    ).toEqual([{ pg_get_userbyid: 'petstore' }]);
    await stopAll();
  });

  itAsRoot(
    'is not started below a folder that only root may enter; the command that moves the cluster works (skipped: needs root)',
    async () => {
      await chmod(scratch, 0o700);
      const error = await start().catch((reason: unknown) => reason as Error);
      const command = / no petstore runs: (.*)$/.exec((error as Error).message)?.[1] ?? 'false';
      execFileSync('sh', ['-c', command]);
      expect(await query((await start()).url, 'SELECT 42 AS value')).toEqual(ANSWER);
    },
  );
});

describe('As root, below a folder that only root may enter', () => {
  beforeAll(async () => {
    await useNewFolder();
    await chmod(scratch, 0o700);
  });
  afterEach(stopAll);
  afterAll(removeFolder);

  itAsRoot(
    'the cluster lies elsewhere, is found again, and its server has no capability (skipped: needs root)',
    async () => {
      const first = await start();
      await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS value');
      const pid = (await findRunningServer(join(dataDir, 'postgres')))?.pid;
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      expect(status).toMatch(/^CapEff:\s+0+$/m);
      expect(status).toMatch(/^CapPrm:\s+0+$/m);
      expect(existsSync(join(dataDir, 'postgres', 'PG_VERSION'))).toBe(true);
      await first.stop();
      const { url } = await start();
      expect(await query(url, 'SELECT value FROM kept')).toEqual(ANSWER);
    },
  );

  itAsRoot('a lost cluster is made again (skipped: needs root)', async () => {
    await rm(dirname(await readlink(join(dataDir, 'postgres'))), { recursive: true });
    expect(await query((await start()).url, 'SELECT 42 AS value')).toEqual(ANSWER);
  });
});

async function start(wanted = options): Promise<EmbeddedPostgres> {
  const server = await openEmbeddedPostgres(dataDir, wanted);
  opened.push(server);
  return server;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
