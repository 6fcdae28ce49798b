import type { DataFolder } from './data-folder.js';
import { findFreePort } from './free-port.js';
import { findRunningServer, removeForeignPidFile, type RunningServer } from './postmaster-pid.js';
import { lastFatal, prepareLog } from './server-log.js';
import { ProgramFailed } from './run-program.js';
import type { ServerPrograms } from './server-programs.js';

export type ServerSettings = Record<string, string>;

const SETTINGS: ServerSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '50',
  log_checkpoints: 'off',
};
const ATTEMPTS = 3;

/** The server of one cluster. `pg_ctl` gives it a session of its own, so Ctrl-C in our terminal does not reach it. */
export class Server {
  constructor(
    private readonly folder: DataFolder,
    private readonly programs: ServerPrograms,
  ) {}

  running(): Promise<RunningServer | undefined> {
    return findRunningServer(this.folder.cluster);
  }

  /** Resolves to false when another process started the server first. */
  async start(settings: ServerSettings, attempt = 1): Promise<boolean> {
    const logged = await prepareLog(this.folder.log, this.programs.user);
    await removeForeignPidFile(this.folder.cluster);
    const options = serverOptions(await findFreePort(), { ...SETTINGS, ...settings });
    try {
      await this.control('start', `--log=${this.folder.log}`, `--options=${options}`);
      return true;
    } catch (error) {
      if (!(error instanceof ProgramFailed)) throw error; // no PostgreSQL on this machine
      if ((await this.running()) !== undefined) return false;
      const reason = (await lastFatal(this.folder.log, logged)) ?? error.message;
      const portTaken = reason.includes('could not create any TCP/IP sockets');
      if (portTaken && attempt < ATTEMPTS) return this.start(settings, attempt + 1);
      throw new Error(reason, { cause: error });
    }
  }

  /** Ends connections and open transactions. Does nothing when the server is already down. */
  async stop(): Promise<void> {
    if ((await this.running()) === undefined) return;
    try {
      await this.control('stop', '--mode=fast');
    } catch (error) {
      if ((await this.running()) !== undefined) throw error;
    }
  }

  private control(action: string, ...args: string[]): Promise<void> {
    return this.programs.run('pg_ctl', [action, '--wait', `--pgdata=${this.folder.cluster}`, ...args]);
  }
}

/** `pg_ctl` hands the options to a shell. */
function serverOptions(port: number, settings: ServerSettings): string {
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', quote(`${name}=${value}`)]);
  return ['-p', port, ...words].join(' ');
}

function quote(word: string): string {
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
