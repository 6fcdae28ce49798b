import type { Response } from 'express';
import type { ClientRequest } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { oneAtATime } from '../../kernel/concurrency/one-at-a-time.js';
import { savepoint } from '../../data/database/run-transaction.js';
import { ServiceUnavailable } from '../../kernel/errors/common.errors.js';
import type { ResponseTransaction } from '../../http/core/request-state.js';
import type { IdempotentResponse } from './idempotent-responses.js';
import { toColumn } from './replay.js';

type Headers = IdempotentResponse['headers'];
type Store = (manager: EntityManager, response: IdempotentResponse) => Promise<void>;

class UnitOfWorkEnded extends Error {
  constructor() {
    super('The unit of work has ended with its request.');
  }
}

/**
 * The transaction of a request with an `Idempotency-Key`. It ends with the response, or with its connection.
 */
export class IdempotentTransaction implements ResponseTransaction {
  /** Resolves when it is rolled back. */
  private rolledBack?: Promise<void>;
  private isOver = false;
  /** Why later statements are refused. */
  private ended: Error = new UnitOfWorkEnded();
  private readonly headersBefore: Headers;

  /**
   * @param runner has begun the transaction
   * @param onEnd called when the connection is free again
   * @param store writes the response in the transaction
   */
  static async of(runner: QueryRunner, response: Response, onEnd: () => void, store: Store) {
    return new IdempotentTransaction(runner, (await runner.connect()) as Client, response, onEnd, store);
  }

  private constructor(
    private readonly runner: QueryRunner,
    private readonly client: Client,
    private readonly response: Response,
    private readonly onEnd: () => void,
    private readonly store: Store,
  ) {
    this.headersBefore = headersSetOn(response);
    client.once('end', this.loseConnection); // PostgreSQL also ends one that is idle for 30 s
    response.once('close', () => {
      if (response.writableEnded) void this.rollBack(); // by other means than the adapter; otherwise the client has gone
    });
  }

  get manager(): EntityManager {
    return this.runner.manager;
  }

  /** Runs work when that begun before has ended. */
  readonly oneAtATime = oneAtATime();

  /**
   * Runs work in a savepoint. As without an `Idempotency-Key`, a deferred constraint that it violates is the
   * error of the work.
   */
  savepoint<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    if (this.isOver) return Promise.reject(this.ended);
    return savepoint(this.runner, async (manager) => {
      const result = await work(manager);
      if (await hasDeferredConstraints(manager)) await manager.query(CHECK_DEFERRED);
      return result;
    });
  }

  commit(text: string | null): Promise<void> {
    return this.oneAtATime(async () => {
      try {
        if (this.isOver) throw this.ended;
        await this.store(this.manager, this.toStored(text));
        await this.runner.commitTransaction();
      } catch (error) {
        this.takeHeadersBack();
        await this.rollBack();
        throw error;
      }
      this.isOver = true;
      this.client.off('end', this.loseConnection);
      await this.runner.release().finally(this.onEnd);
    });
  }

  rollBack(): Promise<void> {
    if (!this.isOver) {
      this.isOver = true;
      this.client.off('end', this.loseConnection);
      this.rolledBack = this.undo().finally(this.onEnd);
    }
    return this.rolledBack ?? Promise.resolve();
  }

  private async undo(): Promise<void> {
    // A handler that a time-out has left running can send no further statement: it would commit by itself.
    // Those of this pass of the event loop still belong to the transaction.
    this.runner.connect = () => Promise.reject(this.ended);
    await setImmediate();
    await this.client.query('ROLLBACK').catch(() => undefined); // the connection is lost, and with it the transaction
    await this.runner.release();
  }

  private readonly loseConnection = (): void => {
    this.ended = new ServiceUnavailable({ cause: 'the connection of the transaction was lost' });
    void this.rollBack();
  };

  private toStored(text: string | null): IdempotentResponse {
    const { response } = this;
    const added = Object.entries(headersSetOn(response)).filter(
      ([name, value]) => !isDeepStrictEqual(this.headersBefore[name], value),
    );
    return {
      status: response.statusCode,
      headers: Object.fromEntries(added),
      body: toColumn(text, response.getHeader('Content-Type')),
    };
  }

  private takeHeadersBack(): void {
    for (const name of this.response.getHeaderNames()) this.response.removeHeader(name);
    for (const [name, value] of Object.entries(this.headersBefore)) this.response.setHeader(name, value);
  }
}

/** Checks what a COMMIT would, and leaves the constraints deferred. */
const CHECK_DEFERRED =
  'SAVEPOINT checked; SET CONSTRAINTS ALL IMMEDIATE; ROLLBACK TO SAVEPOINT checked; RELEASE SAVEPOINT checked';

const known = new WeakMap<DataSource, boolean>();

/** Asked once: most databases have none, and need no further statement for each write. */
async function hasDeferredConstraints(manager: EntityManager): Promise<boolean> {
  const { dataSource } = manager;
  let has = known.get(dataSource);
  if (has === undefined) {
    const sql = 'SELECT FROM pg_constraint WHERE condeferrable LIMIT 1';
    has = (await manager.query<object[]>(sql)).length > 0;
    known.set(dataSource, has);
  }
  return has;
}

/** The types have `getRawHeaderNames()` for requests only, but all outgoing messages of Node.js have it. */
type RawNames = Pick<ClientRequest, 'getRawHeaderNames'>;

/** With their names as they are written, so that a replay writes them so too. */
const headersSetOn = (response: Response): Headers =>
  Object.fromEntries(
    (response as unknown as RawNames)
      .getRawHeaderNames()
      .map((name) => [name, copied(response.getHeader(name) ?? '')]),
  );

/** `appendHeader()` adds to the list itself. */
const copied = <Value>(value: Value): Value => (Array.isArray(value) ? (value.slice() as Value) : value);
