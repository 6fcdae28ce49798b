import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from '../../../../test/support/eventually.js';
import { skipped } from '../../../../test/support/skipped.js';
import { loadBinaries } from './server-programs.js';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  EmbeddedPostgresError,
  openEmbeddedPostgres,
} from './embedded-postgres.js';

const TERMINATE = `SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory'`;
const options: EmbeddedPostgresOptions = { lock: 'exclusive', settings: { fsync: 'off' } };
const asRoot = process.getuid?.() === 0;
const itAsRoot = asRoot ? it : it.skip;
const itAsUser = asRoot ? it.skip : it;
skipped('tests of openEmbeddedPostgres', asRoot ? 'be a user other than root' : 'be root');

const shared = newScratch();
/** A data folder with a cluster, shared by the tests because creating one takes a second. */
const seasoned = join(shared, 'data folder');
let scratch: string;
let dataDir: string;
let opened: EmbeddedPostgres[];

beforeAll(async () => {
  await mkdir(join(seasoned, 'postgres.new-draft', 'cluster'), { recursive: true }); // of an interrupted initdb
  await (await openEmbeddedPostgres(seasoned, options)).stop();
});

afterAll(() => {
  rmSync(shared, { recursive: true });
});

beforeEach(() => {
  scratch = newScratch();
  dataDir = seasoned;
  opened = [];
});

afterEach(async () => {
  for (const server of opened) await server.stop();
  rmSync(scratch, { recursive: true });
});

describe('openEmbeddedPostgres with an exclusive lock', () => {
  it('creates a cluster, also beside the remains of an interrupted initdb, and finds its data again', async () => {
    const first = await start();
    expect((await stat(join(dataDir, 'postgres.json'))).mode & 0o777).toBe(0o600);
    await query(first, 'CREATE TABLE kept AS SELECT 42 AS value');
    await first.stop();

    const second = await start();
    expect(await query(second, 'SELECT value FROM kept')).toEqual([{ value: 42 }]);
  });

  it('does not take what PGOPTIONS and PGSSLMODE say of another server', async () => {
    const env = jest.replaceProperty(process, 'env', { PGOPTIONS: '-c nonsense=1', PGSSLMODE: 'require' });
    try {
      expect(await query(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    } finally {
      env.restore();
    }
  });

  it('starts the server on its previous port, so that other processes find it again, unless the port is taken', async () => {
    const first = await start();
    const { url } = first;
    await first.stop();
    const again = await start();
    expect(again.url).toBe(url);
    await again.stop();

    const other = createServer().listen(Number(new URL(url).port), '127.0.0.1');
    await once(other, 'listening');
    const elsewhere = await start();
    other.close();
    expect(elsewhere.url).not.toBe(url);
    expect(await query(elsewhere, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('stops the server even after losing its connection to it', async () => {
    const service = await start();
    await query(service, TERMINATE, service.superuserUrl);
    await service.stop();
    await expect(query(service, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('starts despite a stale postmaster.pid whose process id belongs to another program', async () => {
    await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), stalePidFile(process.pid));
    expect(await query(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

describe('openEmbeddedPostgres, explaining failures in one line', () => {
  it('closes to others what a copy without its permissions has opened', async () => {
    const cluster = join(dataDir, 'postgres');
    await chmod(cluster, 0o755);
    expect(await query(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect((await stat(cluster)).mode & 0o777).toBe(0o700);
  });

  it('names a cluster of another major version', () =>
    without('postgres/PG_VERSION', async () => {
      await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
      await chmod(join(dataDir, 'postgres', 'PG_VERSION'), 0o644);
      await expectErrorResponse(start(), dataDir, 'FATAL', 'version 17', 'PETSTORE_DATA_DIR');
    }));

  it('names a cluster whose files are gone', () =>
    without('postgres/global', async () => {
      await expectErrorResponse(start(), dataDir, 'global/pg_control', 'PETSTORE_DATA_DIR');
    }));

  it('names the missing password file', () =>
    without('postgres.json', async () => {
      await expectErrorResponse(start(), 'no such file', 'postgres.json', 'PETSTORE_DATA_DIR');
    }));

  it('names a wrong password, and leaves no server running', () =>
    without('postgres.json', async () => {
      await writeFile(join(dataDir, 'postgres.json'), '{"password":"wrong"}');
      await expectErrorResponse(start(), dataDir, 'password authentication failed', 'PETSTORE_DATA_DIR');
      expect(await readdir(join(dataDir, 'postgres'))).not.toContain('postmaster.pid');
    }));

  itAsUser('names a folder without write permission (skipped as root)', async () => {
    dataDir = join(scratch, 'data folder');
    await mkdir(dataDir, { mode: 0o500 });
    await expectErrorResponse(start(), dataDir, 'permission denied', 'PETSTORE_DATA_DIR');
  });

  it('points to DATABASE_URL if there are no binaries', async () => {
    await expectErrorResponse(loadBinaries('aix', 'ppc64'), 'aix-ppc64', 'DATABASE_URL');
  });
});

describe('openEmbeddedPostgres with a shared lock', () => {
  it('joins the server of a running service and leaves it running', async () => {
    const service = await start();
    const guest = await share();
    expect(guest).toMatchObject({ url: service.url });
    await guest.stop();
    expect(await query(service, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('stops the server if it started it', async () => {
    const alone = await share();
    await alone.stop();
    await expect(query(alone, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('stops the server although another Ctrl-C ends the program that waits for it', async () => {
    const alone = await share();
    const [pid] = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n', 1);
    process.kill(Number(pid), 'SIGSTOP'); // it stops only after the signal to the program
    const stopped = alone.stop();
    try {
      await eventually(
        () => spawnSync('pkill', ['-INT', '-x', '-P', `${process.pid}`, 'pg_ctl']).status === 0,
      );
    } finally {
      process.kill(Number(pid), 'SIGCONT');
    }
    await stopped;
    await expect(query(alone, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('leaves the server it started to a later command, which stops it', async () => {
    const first = await share();
    const later = await share();
    await first.stop();
    expect(await query(later, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await later.stop();
    await expect(query(later, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('stops a server that a killed service left behind', async () => {
    const url = await startAndBeKilled();
    const guest = await share();
    expect(guest).toMatchObject({ url });
    await guest.stop();
    await expect(query(guest, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  });
});

describe('as root', () => {
  itAsRoot('works on a copied cluster that belongs to root (skipped: needs root)', async () => {
    for (const path of ['postgres', 'postgres/PG_VERSION']) await chown(join(dataDir, path), 0, 0);
    expect(await query(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

function newScratch(): string {
  const path = mkdtempSync(join(tmpdir(), 'petstore-embedded-'));
  chmodSync(path, 0o755);
  return path;
}

/** Removes something from the cluster during the test. */
async function without(path: string, test: () => Promise<void>): Promise<void> {
  await rename(join(dataDir, path), join(scratch, 'aside'));
  try {
    await test();
  } finally {
    await rm(join(dataDir, path), { force: true });
    await rename(join(scratch, 'aside'), join(dataDir, path));
  }
}

async function start(wanted = options): Promise<EmbeddedPostgres> {
  return remember(await openEmbeddedPostgres(dataDir, wanted));
}

async function share(): Promise<EmbeddedPostgres> {
  return remember(await openEmbeddedPostgres(dataDir, { ...options, lock: 'shared' }));
}

function remember(server: EmbeddedPostgres): EmbeddedPostgres {
  opened.push(server);
  return server;
}

async function query(server: EmbeddedPostgres, sql: string, url = server.url): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Starts a built service that dies without a chance to stop its server. Resolves to the server's URL. */
async function startAndBeKilled(): Promise<string> {
  const built = (file: string) =>
    JSON.stringify(new URL(`../../../../dist/src/${file}`, import.meta.url).href);
  const script = `
    await import(${built('service.js')});
    const { openEmbeddedPostgres } = await import(${built('platform/data/embedded-postgres/embedded-postgres.js')});
    process.stdout.write((await openEmbeddedPostgres(${JSON.stringify(dataDir)}, { lock: 'exclusive' })).url);
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  const [url] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGKILL');
  await once(child, 'exit');
  return url.toString();
}

async function expectErrorResponse(attempt: Promise<unknown>, ...parts: string[]): Promise<void> {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EmbeddedPostgresError))
    throw new Error('no EmbeddedPostgresError', { cause: error });
  expect(error.message).not.toContain('\n');
  for (const part of parts) expect(error.message).toContain(part);
}

/** The file that a server leaves behind after a power failure; see `miscadmin.h` for the lines. */
function stalePidFile(pid: number): string {
  return [pid, join(dataDir, 'postgres'), 1_700_000_000, 1, '', '127.0.0.1', '1 1', 'ready', ''].join('\n');
}
