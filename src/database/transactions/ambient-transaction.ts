import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { ServiceUnavailable } from '../../kernel/errors/common.errors.js';

const running = new AsyncLocalStorage<AmbientTransaction>();
let open = 0;

/** The current transaction of a data source, which its queries join. */
export function runningTransaction(dataSource: DataSource): AmbientTransaction | undefined {
  const transaction = running.getStore();
  return transaction?.dataSource === dataSource && !transaction.isOver ? transaction : undefined;
}

/**
 * Runs work in one transaction, which commits when its promise resolves. Every repository, manager, query builder and query
 * runner of the data source joins it. Transactions of the work become savepoints, which can fail by themselves.
 * @throws ServiceUnavailable when the connection is lost, and whatever the work throws
 */
export async function inTransaction<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> {
  if (runningTransaction(dataSource)) return dataSource.transaction(work);
  const runner = dataSource.createQueryRunner();
  open++;
  try {
    await runner.startTransaction();
    const transaction = new AmbientTransaction(dataSource, runner, (await runner.connect()) as Client);
    const result = await running.run(transaction, work).finally(() => transaction.end());
    transaction.expectComplete();
    await runner.commitTransaction();
    return result;
  } catch (error) {
    if (runner.isReleased) throw new ServiceUnavailable({ cause: error }); // its connection was lost
    await runner.rollbackTransaction().catch(() => undefined); // the connection may be what failed
    throw error;
  } finally {
    await runner.release();
    if (--open === 0) running.disable(); // on Node 20 an enabled storage slows every promise of the process
  }
}

/** A transaction within the ambient one. */
export interface Savepoint {
  readonly name: string;
  readonly owner: object;
  /** Whether another query runner has written since: a rollback would lose that. */
  hasOtherWrites: boolean;
}

/**
 * A transaction on one connection that several query runners share. In PostgreSQL a failed statement ends the transaction,
 * so each statement gets its own savepoint: a handler can catch the error and continue.
 */
export class AmbientTransaction {
  isOver = false;
  private readonly savepoints: Savepoint[] = [];
  private queue: Promise<unknown> = Promise.resolve();
  private names = 0;
  private hasLostWrites = false;
  private isConnected = true;
  private changed: () => void = () => undefined;

  constructor(
    readonly dataSource: DataSource,
    readonly owner: QueryRunner,
    private readonly client: Client,
  ) {
    client.once('end', this.lose);
  }

  /** Runs a statement of a query runner after the earlier ones. */
  run<T>(runner: object, sql: string, statement: () => Promise<T>): Promise<T> {
    return this.enqueue(async () => {
      const savepoint = this.nextName();
      await this.client.query(`SAVEPOINT ${savepoint}`);
      try {
        const result = await statement();
        await this.client.query(`RELEASE SAVEPOINT ${savepoint}`);
        if (!/^\s*SELECT\b/i.test(sql)) this.noteWrite(runner);
        return result;
      } catch (error) {
        await this.rollBackTo(savepoint).catch(() => undefined); // the connection may be what failed
        throw error;
      }
    });
  }

  /** Runs a statement that sets or removes a savepoint itself. */
  runBare<T>(statement: () => Promise<T>): Promise<T> {
    return this.enqueue(statement);
  }

  begin(owner: object): Promise<Savepoint> {
    return this.enqueue(async () => {
      const savepoint = { name: this.nextName(), owner, hasOtherWrites: false };
      await this.client.query(`SAVEPOINT ${savepoint.name}`);
      this.savepoints.push(savepoint);
      return savepoint;
    });
  }

  commit(savepoint: Savepoint): Promise<void> {
    return this.enqueue(async () => {
      const isInnermost = this.savepoints.at(-1) === savepoint;
      this.forget(savepoint);
      // Releasing an outer savepoint would release the inner ones too.
      if (isInnermost) await this.client.query(`RELEASE SAVEPOINT ${savepoint.name}`);
    });
  }

  rollBack(savepoint: Savepoint): Promise<void> {
    return this.enqueue(async () => {
      this.forget(savepoint);
      this.hasLostWrites ||= savepoint.hasOtherWrites;
      await this.rollBackTo(savepoint.name);
    });
  }

  /** Waits for statements that the work has not awaited. After that, query runners get their own connections. */
  async end(): Promise<void> {
    let last: Promise<unknown>;
    do {
      last = this.queue;
      await last;
      if (this.savepoints.length > 0 && last === this.queue) await this.change();
    } while (this.isConnected && (this.savepoints.length > 0 || last !== this.queue));
    this.isOver = true;
    this.client.off('end', this.lose);
  }

  /** @throws Error when a rollback has lost a part of the work */
  expectComplete(): void {
    if (!this.hasLostWrites) return;
    throw new Error(
      'A transaction was rolled back after another one had written within it. Run them in turn.',
    );
  }

  private enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.queue.then(work);
    this.queue = result.catch(() => undefined);
    this.changed();
    return result;
  }

  private change(): Promise<void> {
    return new Promise((resolve) => (this.changed = resolve));
  }

  private readonly lose = (): void => {
    this.isConnected = false;
    this.changed();
  };

  private async rollBackTo(savepoint: string): Promise<void> {
    await this.client.query(`ROLLBACK TO SAVEPOINT ${savepoint}`);
    await this.client.query(`RELEASE SAVEPOINT ${savepoint}`);
  }

  private noteWrite(runner: object): void {
    for (const savepoint of this.savepoints) savepoint.hasOtherWrites ||= savepoint.owner !== runner;
  }

  private forget(savepoint: Savepoint): void {
    const at = this.savepoints.indexOf(savepoint);
    if (at >= 0) this.savepoints.splice(at, 1);
  }

  private nextName(): string {
    return `petstore_${++this.names}`;
  }
}
