import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { QueryConfig, QueryResult, Submittable } from 'pg';
import { type ServiceClient, TransactionRolledBack } from './service-client.js';
import type { SharedTransaction } from './shared-transaction.js';

/** The SQL that TypeORM sends for transactions. */
const BEGIN = /^(?:BEGIN|START TRANSACTION|SAVEPOINT typeorm_\d+)$/;
const COMMIT = /^(?:COMMIT|RELEASE SAVEPOINT typeorm_\d+)$/;
const ROLLBACK = /^(?:ROLLBACK|ROLLBACK TO SAVEPOINT typeorm_\d+)$/;

/** The connection that the pool returns within a shared transaction. Its own transactions are savepoints. */
export class JoinedClient extends EventEmitter {
  private readonly savepoints: string[] = [];
  private timeout?: number;

  constructor(private readonly transaction: SharedTransaction) {
    super();
  }

  get isInTransaction(): boolean {
    return this.savepoints.length > 0;
  }

  /** Other users of the transaction keep their limits. */
  limitStatements(timeout: number): void {
    this.timeout = timeout;
  }

  getTransactionStatus(): ReturnType<ServiceClient['getTransactionStatus']> {
    return this.transaction.client.getTransactionStatus();
  }

  query(query: string | QueryConfig | (Submittable & Readable), values?: unknown[]): unknown {
    if (query instanceof Readable) return this.stream(query);
    const sql = typeof query === 'string' ? query : query.text;
    if (BEGIN.test(sql)) return this.begin();
    if (this.isInTransaction && COMMIT.test(sql)) return this.commit();
    if (this.isInTransaction && ROLLBACK.test(sql)) return this.rollBack();
    const mayWrite = !sql.startsWith('SELECT');
    return this.transaction.inTurn(this, mayWrite, () => this.send(query as string, values));
  }

  /** Rolls back an open transaction. */
  readonly release = (): void => {
    this.savepoints.length = Math.min(this.savepoints.length, 1);
    if (this.isInTransaction) this.rollBack().catch(() => undefined);
  };

  private async begin(): Promise<void> {
    const name = this.transaction.begin(this);
    try {
      await this.transaction.inTurn(this, false, () => this.send(`SAVEPOINT ${name}`));
      this.savepoints.push(name);
    } catch (error) {
      this.endIfLast();
      throw error;
    }
  }

  /** Keeps its savepoint: to release it would also release later savepoints of others. */
  private async commit(): Promise<void> {
    await this.transaction.inTurn(this, false, () =>
      this.getTransactionStatus() === 'E' ? Promise.reject(new TransactionRolledBack()) : Promise.resolve(),
    );
    this.savepoints.pop();
    this.endIfLast();
  }

  private async rollBack(): Promise<void> {
    const name = this.savepoints.at(-1);
    try {
      // Without setting limits, which fails in an aborted transaction.
      const send = () => this.transaction.client.query(`ROLLBACK TO SAVEPOINT ${name}`) as Promise<unknown>;
      await this.transaction.inTurn(this, false, send);
    } finally {
      this.transaction.rollBack(this);
      this.savepoints.pop();
      this.endIfLast();
    }
  }

  /** Reads all rows before returning any, because others share the connection. */
  private stream(query: Submittable & Readable): Readable {
    const read = async () => {
      await this.transaction.limitStatements(this.timeout);
      return (this.transaction.client.query(query) as Readable).toArray() as Promise<object[]>;
    };
    const rows = this.transaction.inTurn(this, false, read);
    rows.catch(() => undefined); // a consumer gets the error from the iterator
    return Readable.from(
      (async function* () {
        yield* await rows;
      })(),
    );
  }

  private async send(query: string, values?: unknown[]): Promise<QueryResult> {
    await this.transaction.limitStatements(this.timeout);
    return this.transaction.client.query(query, values) as Promise<QueryResult>;
  }

  private endIfLast(): void {
    if (!this.isInTransaction) this.transaction.end(this);
  }
}
