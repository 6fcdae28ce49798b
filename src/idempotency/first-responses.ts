import { Injectable } from '@nestjs/common';
import { setTimeout } from 'node:timers/promises';
import { DataSource, type EntityManager } from 'typeorm';
import { inOneTransaction, TransactionEnded } from '../database/pool/shared-transaction.js';
import { resultWithin, seconds } from '../kernel/clock/duration.js';
import { InternalError } from '../kernel/errors/common.errors.js';
import { IdempotencyInProgress, IdempotencyKeyReused } from './idempotency.errors.js';
import { type IdempotentRequest, type StoredResponse, StoredResponses } from './stored-responses.js';

/** How long a repeat waits for the first request. */
const WAIT = seconds(1);
/** Between two looks at a key that another process holds. */
const INTERVAL = seconds(0.05);

/** Of a handler that has committed by a statement of its own: a repeat must not run it again. */
const HALF_DONE: StoredResponse = { status: 500, headers: {}, body: null };

interface Outcome {
  readonly fingerprint: string;
  readonly response: StoredResponse;
  readonly isRepeat: boolean;
}

/** Runs the first request of each key, in all processes together, and gives its response to the repeats. */
@Injectable()
export class FirstResponses {
  /** The keys that this process works on. Their repeats wait here, without a connection. */
  private readonly underWay = new Map<string, Promise<Outcome | undefined>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly stored: StoredResponses,
  ) {}

  /**
   * The response of `work`, whose writes are committed with it, or that of the first request. When `work` fails nothing is
   * stored, and a repeat runs it again.
   * @throws IdempotencyInProgress, IdempotencyKeyReused, and what `work` throws
   */
  async of(request: IdempotentRequest, work: () => Promise<StoredResponse>): Promise<Outcome> {
    const name = `${request.keyId} ${request.key}`;
    const deadline = performance.now() + WAIT;
    for (;;) {
      const other = this.underWay.get(name);
      if (!other) return this.lead(name, this.attempt(request, work, deadline));
      const outcome = await resultWithin(Math.max(0, deadline - performance.now()), other);
      if (outcome && outcome.fingerprint !== request.fingerprint) throw new IdempotencyKeyReused();
      if (outcome) return { ...outcome, isRepeat: true };
      if (performance.now() >= deadline) throw new IdempotencyInProgress();
    }
  }

  private async lead(name: string, attempt: Promise<Outcome>): Promise<Outcome> {
    const outcome = attempt.catch(() => undefined);
    this.underWay.set(name, outcome);
    await resultWithin(WAIT, outcome); // PostgreSQL may have ended the transaction of a stuck one
    if (this.underWay.get(name) === outcome) this.underWay.delete(name);
    return attempt;
  }

  private async attempt(
    request: IdempotentRequest,
    work: () => Promise<StoredResponse>,
    deadline: number,
  ): Promise<Outcome> {
    for (;;) {
      const outcome = await inOneTransaction(this.dataSource, (manager, join) =>
        this.claimed(manager, request, () => join(work)),
      ).catch(async (error: unknown) => {
        if (error instanceof TransactionEnded)
          await this.stored.insert(this.dataSource.manager, request, HALF_DONE);
        throw error;
      });
      if (outcome) return outcome;
      if (performance.now() >= deadline) throw new IdempotencyInProgress();
      await setTimeout(INTERVAL);
    }
  }

  /** @returns undefined while another process holds the key */
  private async claimed(
    manager: EntityManager,
    request: IdempotentRequest,
    work: () => Promise<StoredResponse>,
  ): Promise<Outcome | undefined> {
    const { fingerprint } = request;
    if (!(await this.stored.claim(manager, request))) return undefined;
    const first = await this.stored.find(manager, request); // after the claim, so that a commit before it is seen
    if (first?.status === HALF_DONE.status) throw new InternalError();
    if (first) return { fingerprint, response: first, isRepeat: true };
    const response = await work();
    await this.stored.insert(manager, request, response);
    return { fingerprint, response, isRepeat: false };
  }
}
