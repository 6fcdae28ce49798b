import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { hours, minutes } from '../../kernel/clock/duration.js';
import { errorCodeOf } from '../../kernel/errors/error-code.js';
import { PeriodicTasks } from '../../kernel/clock/periodic-tasks.js';
import { inBatches } from '../../data/database/in-batches.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { IdempotencyInProgress, IdempotencyKeyReused } from './idempotency.errors.js';

const STORED_FOR = hours(24);
const LOCK_SEED = 8; // any number that no other advisory lock uses

/** A request with an `Idempotency-Key`. */
export interface IdempotentRequest {
  /** The id of the API key, which rotation keeps. */
  readonly keyId: Int64;
  readonly key: string;
  readonly fingerprint: string;
}

export interface IdempotentResponse {
  readonly status: number;
  /** Headers set by the handler and its interceptors. */
  readonly headers: Readonly<Record<string, string | number | string[]>>;
  /** JSON text, or null for a response without a body. */
  readonly body: string | null;
}

interface Row extends IdempotentResponse {
  readonly fingerprint: string;
}

const CLEAR_EVERY = minutes(10);

/** Stores the responses to requests with an `Idempotency-Key` for 24 hours. */
@Injectable()
export class IdempotentResponses implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly tasks = PeriodicTasks.warning(IdempotentResponses.name, 'delete expired responses');

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    const clearIdempotentResponses = () => this.clear();
    this.tasks.add(CLEAR_EVERY, clearIdempotentResponses);
  }

  beforeApplicationShutdown(): void {
    void this.tasks.stop();
  }

  /** The response to the first request, if any. @throws IdempotencyKeyReused */
  async find(
    manager: EntityManager,
    { keyId, key, fingerprint }: IdempotentRequest,
  ): Promise<IdempotentResponse | undefined> {
    const [row] = await manager.query<Row[]>(
      `SELECT fingerprint, status, headers, body FROM idempotent_answers
       WHERE api_key_id = $1 AND key = $2 AND expires_at > $3`,
      [keyId, key, this.now()],
    );
    if (row && row.fingerprint !== fingerprint) throw new IdempotencyKeyReused();
    return row;
  }

  /** Locks the key until the transaction ends. @returns false if another transaction holds it */
  async lock(manager: EntityManager, { keyId, key }: IdempotentRequest): Promise<boolean> {
    const [row] = await manager.query<{ locked: boolean }[]>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, $2)) AS locked',
      [`${keyId} ${key}`, LOCK_SEED],
    );
    return row?.locked === true;
  }

  /**
   * Stores a response, replacing an expired one.
   * @throws IdempotencyInProgress if another request has stored one
   */
  async insert(
    manager: EntityManager,
    { keyId, key, fingerprint }: IdempotentRequest,
    response: IdempotentResponse,
  ): Promise<void> {
    const rows = await manager
      .query<object[]>(
        `INSERT INTO idempotent_answers AS stored (api_key_id, key, fingerprint, status, headers, body, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (api_key_id, key) DO UPDATE
         SET (fingerprint, status, headers, body, expires_at)
           = (excluded.fingerprint, excluded.status, excluded.headers, excluded.body, excluded.expires_at)
         WHERE stored.expires_at <= $8
       RETURNING key`,
        [
          ...[keyId, key, fingerprint, response.status, response.headers, response.body],
          new Date(this.clock.now() + STORED_FOR),
          this.now(),
        ],
      )
      .catch((error: unknown) => {
        throw isConflict(error) ? new IdempotencyInProgress() : error;
      });
    if (rows.length === 0) throw new IdempotencyInProgress();
  }

  /** Deletes expired responses, in short statements. */
  async clear(): Promise<void> {
    await inBatches((limit) => this.clearBatch(limit));
  }

  /** Leaves out responses that another process is deleting. @returns the number of deleted responses */
  private async clearBatch(limit: number): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM idempotent_answers WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM idempotent_answers WHERE expires_at <= $1
         ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [this.now(), limit],
    );
    return count;
  }

  private now(): Date {
    return new Date(this.clock.now());
  }
}

/** SQLSTATE serialization_failure: here, another request stored a response after the transaction began. */
const isConflict = (error: unknown): boolean => errorCodeOf(error) === '40001';
