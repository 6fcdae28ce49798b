import { Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { seconds } from '../kernel/clock/duration.js';
import { WatchedClient } from './watched-client.js';

const ASK_AGAIN = seconds(0.25);

type OnClient = Parameters<pg.Pool['connect']>[0];

/** The database is known not to answer: nobody has to find that out by waiting. */
class DatabaseSilent extends Error {
  readonly code = '08006'; // connection_failure

  constructor() {
    super('The database does not answer.');
  }
}

/**
 * Connections that share what one of them has found out: once it has met silence, every use fails at once, until the
 * database answers again. Without that a request that needs the database three times would wait three times.
 */
export class WatchedPool extends pg.Pool {
  private readonly logger = new Logger('Database');
  private silent = false;

  constructor(options: pg.PoolConfig) {
    super({ ...options, Client: WatchedClient });
    this.on('connect', (client) => {
      if (client instanceof WatchedClient) client.onSilence = () => void this.untilItAnswers();
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: OnClient): void;
  override connect(callback?: OnClient): Promise<pg.PoolClient> | undefined {
    if (!callback) return this.silent ? Promise.reject(new DatabaseSilent()) : super.connect();
    if (this.silent) callback(new DatabaseSilent(), undefined, () => undefined);
    else super.connect(callback);
    return undefined;
  }

  private async untilItAnswers(): Promise<void> {
    if (this.silent) return;
    this.silent = true;
    this.logger.warn('PostgreSQL does not answer. Nobody waits for it until it does.');
    while (!this.ending && !(await this.answers())) await delay(ASK_AGAIN, undefined, { ref: false });
    this.silent = false;
    if (!this.ending) this.logger.log('PostgreSQL answers again.');
  }

  private async answers(): Promise<boolean> {
    try {
      const client = await super.connect();
      const failure = await client.query('SELECT 1').then(
        () => undefined,
        (error: unknown) => error as Error,
      );
      client.release(failure);
      return failure === undefined;
    } catch {
      return false;
    }
  }
}
