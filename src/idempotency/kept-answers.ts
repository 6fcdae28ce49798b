import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../kernel/clock/clock.js';
import { hours } from '../kernel/clock/duration.js';
import type { Int64 } from '../kernel/json/int64.js';
import { IdempotencyKeyReused } from './idempotency.errors.js';

const KEPT_FOR = hours(24);
const LOCK_SEED = 8; // any number: it keeps these advisory locks apart from others

/** A request that may be sent again. */
export interface Repeatable {
  /** The API key's id, which rotation keeps. */
  readonly caller: Int64;
  readonly key: string;
  readonly fingerprint: string;
}

export interface KeptAnswer {
  readonly status: number;
  /** Those that the handler itself has set. */
  readonly headers: Readonly<Record<string, string | number | string[]>>;
  /** JSON text as it was sent; null for an answer without a body. */
  readonly body: string | null;
}

interface Row extends KeptAnswer {
  readonly fingerprint: string;
}

/** The answers to requests with an `Idempotency-Key`, kept in PostgreSQL for 24 hours. */
@Injectable()
export class KeptAnswers {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The answer that the request got before, if it did. @throws IdempotencyKeyReused */
  async find({ caller, key, fingerprint }: Repeatable): Promise<KeptAnswer | undefined> {
    const [row] = await this.dataSource.query<Row[]>(
      `SELECT fingerprint, status, headers, body FROM idempotent_answers
       WHERE api_key_id = $1 AND key = $2 AND expires_at > $3`,
      [caller, key, this.now()],
    );
    if (row && row.fingerprint !== fingerprint) throw new IdempotencyKeyReused();
    return row;
  }

  /**
   * Takes the key for the running transaction; PostgreSQL gives it back when that ends, however it ends.
   * @returns false when another one has it
   */
  async claim({ caller, key }: Repeatable): Promise<boolean> {
    const [row] = await this.dataSource.query<{ claimed: boolean }[]>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, $2)) AS claimed',
      [`${caller} ${key}`, LOCK_SEED],
    );
    return row?.claimed === true;
  }

  /** @returns false when there is an answer already, which stays */
  async keep({ caller, key, fingerprint }: Repeatable, answer: KeptAnswer): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `INSERT INTO idempotent_answers AS kept (api_key_id, key, fingerprint, status, headers, body, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (api_key_id, key) DO UPDATE
         SET (fingerprint, status, headers, body, expires_at)
           = (excluded.fingerprint, excluded.status, excluded.headers, excluded.body, excluded.expires_at)
         WHERE kept.expires_at <= $8
       RETURNING 1`,
      [
        ...[caller, key, fingerprint, answer.status, answer.headers, answer.body],
        new Date(this.clock.now() + KEPT_FOR),
        this.now(),
      ],
    );
    return rows.length === 1;
  }

  /** Deletes answers whose time is over, those that another process is deleting aside. @returns how many */
  async clear(most: number): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM idempotent_answers WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM idempotent_answers WHERE expires_at <= $1
         ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [this.now(), most],
    );
    return count;
  }

  private now(): Date {
    return new Date(this.clock.now());
  }
}
