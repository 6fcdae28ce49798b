import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { TimeLimits } from '../../kernel/clock/time-limits.js';
import { Slots } from '../../kernel/concurrency/slots.js';
import { poolOf } from '../../data/database/pool/service-pool.js';
import { hasOneSnapshot, type IsolationLevel } from '../../data/database/run-transaction.js';
import { IdempotencyInProgress } from './idempotency.errors.js';
import { type IdempotentRequest, IdempotentResponses } from './idempotent-responses.js';
import { IdempotentTransaction } from './idempotent-transaction.js';
import { replay } from './replay.js';

/**
 * Runs only the first request with each key, across all processes, and replays its response to repeats. A
 * lock of PostgreSQL, which ends with the transaction or its process, lets one request at a time work on a
 * key.
 */
@Injectable()
export class IdempotentRequests {
  /** Each handler holds a connection, so they get half of the pool, and those of one API key half of that. */
  private readonly connections: Slots;
  /** The keys of requests in this process that have not ended, whose repeats take no connection. */
  private readonly running = new Set<string>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly responses: IdempotentResponses,
    { slot: wait }: TimeLimits,
  ) {
    const total = half(poolOf(dataSource).options.max);
    this.connections = new Slots({ total, perClient: half(total), wait });
  }

  /** Refuses the requests that wait for a connection: the service stops. */
  close(): void {
    this.connections.close();
  }

  /**
   * Opens the transaction of a first request, which `JsonAdapter` ends with the response. Sends the stored
   * response to a repeat.
   * @returns whether the handler has to run
   * @throws IdempotencyInProgress while another request with this key runs, IdempotencyKeyReused,
   *   ServiceUnavailable
   */
  async begin(request: IdempotentRequest, response: Response, isolation?: IsolationLevel): Promise<boolean> {
    const stored = await this.responses.find(this.dataSource.manager, request);
    if (stored) {
      replay(stored, response);
      return false;
    }
    const name = `${request.keyId} ${request.key}`;
    if (this.running.has(name)) throw new IdempotencyInProgress();
    this.running.add(name);
    let isFirst = false;
    try {
      isFirst = await this.open(request, response, isolation, () => this.running.delete(name));
      return isFirst;
    } finally {
      if (!isFirst) this.running.delete(name);
    }
  }

  private async open(
    request: IdempotentRequest,
    response: Response,
    isolation: IsolationLevel | undefined,
    onEnd: () => void,
  ): Promise<boolean> {
    const client = String(request.keyId);
    await this.connections.enter(client)?.admittedUnlessClosed(response);
    const runner = this.dataSource.createQueryRunner();
    const end = () => {
      this.connections.leave(client);
      onEnd();
    };
    try {
      await runner.startTransaction(isolation);
      if (!(await this.responses.lock(runner.manager, request))) throw new IdempotencyInProgress();
      // Such a transaction does not see what was committed after it began. Storing the response finds out.
      const stored = hasOneSnapshot(isolation)
        ? undefined
        : await this.responses.find(runner.manager, request);
      if (!stored) {
        response.req.transaction = await IdempotentTransaction.of(runner, response, end, (manager, first) =>
          this.responses.insert(manager, request, first),
        );
        return true;
      }
      replay(stored, response);
      await runner.rollbackTransaction();
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      await runner.release().finally(end);
      throw error;
    }
    await runner.release().finally(end);
    return false;
  }
}

const half = (size: number): number => Math.max(1, Math.floor(size / 2));
