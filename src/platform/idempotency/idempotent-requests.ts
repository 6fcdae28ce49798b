import { Injectable } from '@nestjs/common';
import { setTimeout } from 'node:timers/promises';
import { DataSource, type EntityManager } from 'typeorm';
import { resultWithin, seconds } from '../clock/duration.js';
import type { IsolationLevel, RunTransaction } from '../database/run-transaction.js';
import { IdempotencyClaims } from './idempotency-claims.js';
import { IdempotencyInProgress } from './idempotency.errors.js';
import {
  type IdempotentRequest,
  type IdempotentResponse,
  IdempotentResponses,
} from './idempotent-responses.js';
import { IdempotentTransaction } from './idempotent-transaction.js';

/** How long a repeat waits for the first request. */
const WAIT = seconds(1);
/** The pause between two attempts. No connection is held meanwhile. */
const INTERVAL = seconds(0.05);
/** How long a failed request waits for the end of its claim, after which a repeat can run at once. */
const RELEASE_TIMEOUT = seconds(1);

interface Outcome {
  readonly response: IdempotentResponse;
  readonly isRepeat: boolean;
}

/** Ends the work of a request that another one has overtaken. */
class AlreadyStored extends Error {
  constructor(readonly response: IdempotentResponse) {
    super('Another request with this Idempotency-Key has committed its response.');
  }
}

/** Runs only the first request with each key, across all processes, and replays its response to repeats. */
@Injectable()
export class IdempotentRequests {
  constructor(
    private readonly dataSource: DataSource,
    private readonly responses: IdempotentResponses,
    private readonly claims: IdempotencyClaims,
  ) {}

  /**
   * Returns the response of `work`, committed together with what it writes in its transaction, or the stored response of the
   * first request. If `work` fails, nothing is stored, and a repeat runs it again.
   * @throws IdempotencyInProgress, IdempotencyKeyReused, and any error of `work`
   */
  async once(
    request: IdempotentRequest,
    work: (transaction: RunTransaction) => Promise<IdempotentResponse>,
  ): Promise<Outcome> {
    const deadline = performance.now() + WAIT;
    for (;;) {
      const stored = await this.responses.find(this.dataSource.manager, request);
      if (stored) return { response: stored, isRepeat: true };
      const claim = await this.claims.take(request);
      if (claim !== undefined) return this.first(request, claim, work);
      if (performance.now() >= deadline) throw new IdempotencyInProgress();
      await setTimeout(INTERVAL);
    }
  }

  private async first(
    request: IdempotentRequest,
    claim: string,
    work: (transaction: RunTransaction) => Promise<IdempotentResponse>,
  ): Promise<Outcome> {
    const transaction = new IdempotentTransaction(this.dataSource, (manager, isolation) =>
      this.begin(manager, isolation, request, claim),
    );
    try {
      const stored = await this.responses.find(this.dataSource.manager, request); // committed just before the claim
      if (stored) throw new AlreadyStored(stored);
      const response = await work(transaction.run);
      await transaction.commit((manager) => this.responses.insert(manager, request, response));
      void this.claims.release(claim); // a repeat finds the response first
      return { response, isRepeat: false };
    } catch (error) {
      await transaction.rollBack();
      await resultWithin(RELEASE_TIMEOUT, this.claims.release(claim));
      if (error instanceof AlreadyStored) return { response: error.response, isRepeat: true };
      throw error;
    }
  }

  /** @throws IdempotencyInProgress, AlreadyStored */
  private async begin(
    manager: EntityManager,
    isolation: IsolationLevel | undefined,
    request: IdempotentRequest,
    claim: string,
  ): Promise<void> {
    await this.claims.expect(manager, claim);
    // Processes of version 1.0 have no claims, only this lock.
    if (!(await this.responses.lock(manager, request))) throw new IdempotencyInProgress();
    // PostgreSQL would see a conflict with each transaction of this level that stores a response. Storing finds out, too.
    if (isolation === 'SERIALIZABLE') return;
    const stored = await this.responses.find(manager, request);
    if (stored) throw new AlreadyStored(stored);
  }
}
