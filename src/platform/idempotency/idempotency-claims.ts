import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { seconds } from '../clock/duration.js';
import { PeriodicTasks } from '../clock/periodic-tasks.js';
import { IdempotencyInProgress } from './idempotency.errors.js';
import type { IdempotentRequest } from './idempotent-responses.js';

/** How long a claim outlives its process. By the clock of PostgreSQL, which all processes share. */
const LEASE = `interval '5 seconds'`;
const RENEW_EVERY = seconds(1);

/** Lets one process at a time work on a key: a claim is a lease, which the process renews while it works. */
@Injectable()
export class IdempotencyClaims implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly held = new Set<string>();
  private readonly logger = new Logger(IdempotencyClaims.name);
  private readonly tasks = new PeriodicTasks((error) => {
    this.logger.warn(`Could not renew claims of idempotent requests; retrying: ${String(error)}`);
  });

  constructor(private readonly dataSource: DataSource) {}

  onApplicationBootstrap(): void {
    this.tasks.add(RENEW_EVERY, () => this.renew());
  }

  beforeApplicationShutdown(): void {
    void this.tasks.stop();
  }

  /** @returns the claim; undefined while another request holds the key */
  async take({ keyId, key }: IdempotentRequest): Promise<string | undefined> {
    const claim = randomUUID();
    const [taken] = await this.dataSource.query<object[]>(
      `INSERT INTO idempotency_claims (api_key_id, key, claim, expires_at) VALUES ($1, $2, $3, now() + ${LEASE})
       ON CONFLICT DO NOTHING RETURNING claim`,
      [keyId, key, claim],
    );
    if (!taken && !(await this.takeOver({ keyId, key }, claim))) return undefined;
    this.held.add(claim);
    return claim;
  }

  /** Locks the claim until the transaction ends. @throws IdempotencyInProgress if another request has taken it over */
  async expect(manager: EntityManager, claim: string): Promise<void> {
    const rows = await manager.query<object[]>(
      'SELECT 1 FROM idempotency_claims WHERE claim = $1 FOR UPDATE',
      [claim],
    );
    if (rows.length === 0) throw new IdempotencyInProgress();
  }

  /** Ends a claim. If the database is unavailable, it runs out. */
  async release(claim: string): Promise<void> {
    this.held.delete(claim);
    await this.dataSource
      .query('DELETE FROM idempotency_claims WHERE claim = $1', [claim])
      .catch(() => undefined);
  }

  /** One that has expired and is not in a transaction. */
  private async takeOver(
    { keyId, key }: Pick<IdempotentRequest, 'keyId' | 'key'>,
    claim: string,
  ): Promise<boolean> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `UPDATE idempotency_claims SET claim = $3, expires_at = now() + ${LEASE} WHERE claim IN (
         SELECT claim FROM idempotency_claims WHERE api_key_id = $1 AND key = $2 AND expires_at < now()
         FOR UPDATE SKIP LOCKED)`,
      [keyId, key, claim],
    );
    return count === 1;
  }

  /** Leaves out claims in a transaction, whose locks hold them. */
  private async renew(): Promise<void> {
    if (this.held.size === 0) return;
    await this.dataSource.query(
      `UPDATE idempotency_claims SET expires_at = now() + ${LEASE} WHERE claim IN (
         SELECT claim FROM idempotency_claims WHERE claim = ANY ($1) FOR UPDATE SKIP LOCKED)`,
      [[...this.held]],
    );
  }
}
