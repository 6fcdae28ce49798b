import { Injectable } from '@nestjs/common';
import { setTimeout } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { inOneTransaction } from '../database/pool/shared-transaction.js';
import { seconds } from '../kernel/clock/duration.js';
import { IdempotencyInProgress } from './idempotency.errors.js';
import { type IdempotentRequest, type StoredResponse, StoredResponses } from './stored-responses.js';

/** How long a repeat waits for the first request. */
const WAIT = seconds(1);
/** The pause between two attempts. No connection is held meanwhile. */
const INTERVAL = seconds(0.05);

interface Outcome {
  readonly response: StoredResponse;
  readonly isRepeat: boolean;
}

/** Runs only the first request with each key, across all processes, and replays its response to repeats. */
@Injectable()
export class FirstResponses {
  constructor(
    private readonly dataSource: DataSource,
    private readonly stored: StoredResponses,
  ) {}

  /**
   * Returns the response of `work`, committed together with its writes, or the stored response of the first request. If
   * `work` fails, nothing is stored, and a repeat runs it again. It fails if it commits by a statement of its own.
   * @throws IdempotencyInProgress, IdempotencyKeyReused, and any error of `work`
   */
  async of(request: IdempotentRequest, work: () => Promise<StoredResponse>): Promise<Outcome> {
    const deadline = performance.now() + WAIT;
    for (;;) {
      const outcome = await this.attempt(request, work);
      if (outcome) return outcome;
      if (performance.now() >= deadline) throw new IdempotencyInProgress();
      await setTimeout(INTERVAL);
    }
  }

  /** @returns undefined while another request holds the key */
  private attempt(
    request: IdempotentRequest,
    work: () => Promise<StoredResponse>,
  ): Promise<Outcome | undefined> {
    return inOneTransaction(this.dataSource, async (manager, join) => {
      if (!(await this.stored.claim(manager, request))) return undefined;
      const first = await this.stored.find(manager, request); // after the claim, so that it sees a commit that preceded the claim
      if (first) return { response: first, isRepeat: true };
      const response = await join(work);
      await this.stored.insert(manager, request, response);
      return { response, isRepeat: false };
    });
  }
}
