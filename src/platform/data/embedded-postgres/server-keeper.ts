import { setTimeout as delay } from 'node:timers/promises';
import { toError } from './embedded-postgres.error.js';
import type { FolderLock } from './folder-lock.js';
import type { Reached } from './reach-server.js';

const PAUSE_MS = 500;

/** Starts the server of a running service again if it dies, and lets it die with the service. */
export class ServerKeeper<T extends Reached<FolderLock>> {
  private ended = false;
  private reopening: Promise<void> = Promise.resolve();

  constructor(
    private opened: T,
    private readonly reopen: () => Promise<T>,
    private readonly report: (event: string) => void,
  ) {
    process.once('exit', this.signal);
    this.watch();
  }

  /** Leaves the server alone from now on. Resolves to its last opening. */
  async end(): Promise<T> {
    this.ended = true;
    process.removeListener('exit', this.signal);
    await this.reopening;
    return this.opened;
  }

  /** The connection that holds the lock is lost at once when the server dies. */
  private watch(): void {
    const lost = () => {
      if (!this.ended) this.reopening = this.recover();
    };
    if (this.opened.result.held) this.opened.result.session.once('end', lost);
    else lost();
  }

  private async recover(): Promise<void> {
    this.report('The embedded PostgreSQL is gone; starting it again.');
    let reason = '';
    while (!this.ended) {
      try {
        this.opened = await this.reopen();
        this.report('The embedded PostgreSQL runs again.');
        this.watch();
        return;
      } catch (error) {
        const { message } = toError(error);
        if (message !== reason) this.report(message);
        reason = message;
      }
      await delay(PAUSE_MS);
    }
  }

  /**
   * If the process ends without calling `stop`, through an exception or `process.exit()`, it can only send a
   * signal: the one that `pg_ctl stop --mode=fast` sends.
   */
  private readonly signal = (): void => {
    const { pid, result: lock } = this.opened;
    if (lock.held) process.kill(pid, 'SIGINT'); // otherwise it is down, or another service has taken it over
  };
}
