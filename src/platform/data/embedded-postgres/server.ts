import { once } from 'node:events';
import { chown, open, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { DataFolder } from './data-folder.js';
import { findRunningServer, removeForeignPidFile, type RunningServer } from './postmaster-pid.js';
import { ProgramFailed, type ServerPrograms } from './server-programs.js';
import type { ServerUser } from './server-user.js';

export type ServerSettings = Record<string, string>;

const SETTINGS: ServerSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '50',
  log_checkpoints: 'off',
};
const ATTEMPTS = 3;
const MAX_LOG = 10 * 1024 * 1024; // bytes

/**
 * The server of one cluster. `pg_ctl` runs it in a separate session, so Ctrl-C in our terminal does not reach
 * it.
 */
export class Server {
  constructor(
    private readonly folder: DataFolder,
    private readonly programs: ServerPrograms,
  ) {}

  running(): Promise<RunningServer | undefined> {
    return findRunningServer(this.folder.cluster);
  }

  /** Resolves to false if another process started the server first. */
  async start(settings: ServerSettings, attempt = 1): Promise<boolean> {
    const logged = await prepareLog(this.folder.log, this.programs.user);
    await removeForeignPidFile(this.folder.cluster);
    const port = attempt === 1 ? await findPort(this.folder.cluster) : await freePort();
    const options = serverOptions(port, { ...SETTINGS, ...settings });
    try {
      await this.control('start', `--log=${this.folder.log}`, `--options=${options}`);
      return true;
    } catch (error) {
      if (!(error instanceof ProgramFailed)) throw error; // no PostgreSQL on this machine
      if ((await this.running()) !== undefined) return false;
      const lines = (await readFile(this.folder.log)).subarray(logged).toString().split('\n');
      if (attempt < ATTEMPTS && lines.some(isTemporary)) return this.start(settings, attempt + 1);
      throw new Error(lastFatal(lines) ?? error.message, { cause: error });
    }
  }

  /** Closes connections and rolls back open transactions. Does nothing if the server is already down. */
  async stop(): Promise<void> {
    if ((await this.running()) === undefined) return;
    try {
      await this.control('stop', '--mode=fast');
    } catch (error) {
      if (error instanceof ProgramFailed && error.interrupted) return this.stop(); // by another Ctrl-C
      if ((await this.running()) !== undefined) throw error;
    }
  }

  private control(action: string, ...args: string[]): Promise<void> {
    return this.programs.run('pg_ctl', [action, '--wait', `--pgdata=${this.folder.cluster}`, ...args]);
  }
}

/** Quotes the options, because `pg_ctl` passes them to a shell. */
function serverOptions(port: number, settings: ServerSettings): string {
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', quote(`${name}=${value}`)]);
  return ['-p', port, ...words].join(' ');
}

function quote(word: string): string {
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * The port of the previous start, on which other processes expect the server, or any free one if it is taken.
 */
async function findPort(cluster: string): Promise<number> {
  const previous = await readFile(join(cluster, 'postmaster.opts'), 'utf8').catch(() => ''); // written by PostgreSQL
  const [, port] = /"-p" "(\d+)"/.exec(previous) ?? [];
  return freePort(Number(port ?? 0)).catch(() => freePort());
}

/** Resolves to a TCP port of 127.0.0.1 if it is free; 0 stands for any. */
async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Makes the log writable for the server, and truncates it if it is too large. Resolves to its length in
 * bytes.
 */
async function prepareLog(file: string, user: ServerUser | undefined): Promise<number> {
  const handle = await open(file, 'a', 0o600);
  try {
    if (user !== undefined) await chown(file, user.uid, user.gid);
    const { size } = await handle.stat();
    if (size <= MAX_LOG) return size;
    await handle.truncate();
    return 0;
  } finally {
    await handle.close();
  }
}

/** The port was taken meanwhile, or another process started the server too, or has stopped it again. */
const isTemporary = (line: string): boolean =>
  /could not create any TCP\/IP sockets|lock file "postmaster.pid" already exists|ready to accept connections/.test(
    line,
  );

/** Returns the server's reason for failing. */
function lastFatal(lines: readonly string[]): string | undefined {
  const fatal = lines.findLastIndex((line) => line.includes('FATAL:'));
  if (fatal < 0) return undefined;
  const detail = lines[fatal + 1]?.includes('DETAIL:') ? lines[fatal + 1] : undefined;
  return [lines[fatal], detail]
    .map((line) => withoutTime(line ?? ''))
    .join(' ')
    .trim();
}

/** `2030-01-31 12:00:00.000 UTC [123] FATAL:  text` without the time. */
function withoutTime(line: string): string {
  return line.replace(/^.*?(FATAL|DETAIL): */, (_prefix, severity: string) => `${severity}: `);
}
