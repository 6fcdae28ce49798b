import { Injectable } from '@nestjs/common';
import type { Attempt } from '../webhook-delivery.entity.js';
import type { DisabledReason } from '../webhook.entity.js';
import { addNextJobs, IS_ACTIVE } from '../webhook-sql.js';
import { WorkerConnections } from './worker-connections.js';

/** A delivery whose next attempt is due, with its webhook. Ids are strings because no code here computes with them. */
export interface DueDelivery {
  readonly id: string;
  readonly type: string;
  /** Attempts in the current schedule. */
  readonly tries: number;
  /** Until then, no other job makes an attempt. A text, because a `Date` lacks the microseconds. */
  readonly claimedUntil: string;
  readonly createdAt: Date;
  /** Null for a ping. */
  readonly eventId: string | null;
  /** Null for a ping and for an expired event, as are the next two. */
  readonly version: number | null;
  readonly occurredAt: Date | null;
  readonly data: string | null;
  readonly webhookId: string;
  readonly url: string;
  readonly secret: Buffer;
  readonly previousSecret: Buffer | null;
  readonly previousEndsAt: Date | null;
  /** Whether no attempt has succeeded since the last one failed. */
  readonly isFailing: boolean;
  /** Whether events are sent to the webhook. */
  readonly isActive: boolean;
}

/** The result of processing a delivery. */
export interface Outcome {
  readonly id: string;
  readonly claimedUntil: string;
  readonly state: 'pending' | 'delivered' | 'failed';
  /** Milliseconds until the next attempt. Only for a pending delivery. */
  readonly wait?: number;
  /** Absent if no attempt was made. */
  readonly attempt?: Attempt;
}

/** Longer than an attempt and the statements that store its result usually take. */
const CLAIM = '15 s';
/** How many attempts are stored for each delivery. Older ones are dropped, because retries on demand are unlimited. */
const MAX_ATTEMPTS = 50;

/** Stores the state of deliveries in PostgreSQL. All times use the database's clock. */
@Injectable()
export class DeliveryStore {
  constructor(private readonly connections: WorkerConnections) {}

  /**
   * Claims deliveries of a webhook that are due, oldest first. A webhook's jobs may run at the same time: the queue unlocks one
   * that waited long, or whose process seems to have died (graphile/worker#621).
   */
  claim(webhookId: string, limit: number): Promise<DueDelivery[]> {
    return this.connections.query<DueDelivery>(
      `WITH due AS (
         SELECT id, next_attempt_at FROM webhook_deliveries
         WHERE webhook_id = $1 AND state = 'pending' AND next_attempt_at <= now()
         ORDER BY next_attempt_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
       ), claimed AS (
         UPDATE webhook_deliveries AS delivery SET next_attempt_at = now() + interval '${CLAIM}'
         FROM due WHERE delivery.id = due.id RETURNING delivery.*, due.next_attempt_at AS due_at
       )
       SELECT delivery.id::text, delivery.type, tries, next_attempt_at::text AS "claimedUntil", delivery.created_at AS "createdAt",
              event_id::text AS "eventId", version, occurred_at AS "occurredAt", data::text, webhook_id::text AS "webhookId",
              url, secret, previous_secret AS "previousSecret", previous_ends_at AS "previousEndsAt",
              failing_since IS NOT NULL AS "isFailing", ${IS_ACTIVE} AS "isActive"
       FROM claimed AS delivery
         JOIN webhooks ON webhooks.id = webhook_id
         LEFT JOIN events ON events.id = event_id
       ORDER BY due_at, delivery.id`,
      [webhookId, limit],
    );
  }

  /**
   * A delivery that is no longer claimed keeps its state and its next attempt: a retry was requested during the attempt, or
   * another job has claimed it.
   */
  async write(outcomes: readonly Outcome[]): Promise<void> {
    await this.connections.query(
      `UPDATE webhook_deliveries AS delivery
       SET state = CASE WHEN next_attempt_at = "claimedUntil" THEN outcome.state ELSE delivery.state END,
           next_attempt_at = CASE WHEN next_attempt_at = "claimedUntil" THEN now() + make_interval(secs => wait / 1000)
                             ELSE next_attempt_at END,
           tries = tries + (attempt IS NOT NULL AND next_attempt_at = "claimedUntil")::integer,
           attempts = CASE WHEN jsonb_array_length(attempts) < ${MAX_ATTEMPTS} THEN attempts ELSE attempts - 0 END
                      || coalesce(attempt, '[]')
       FROM jsonb_to_recordset($1) AS outcome (id bigint, "claimedUntil" timestamptz, state text, wait float8, attempt jsonb)
       WHERE delivery.id = outcome.id AND delivery.state = 'pending'`,
      [JSON.stringify(outcomes)],
    );
  }

  /** Queues a job for the webhook's next attempts, if there are any. */
  async addNextJob(webhookId: string): Promise<void> {
    await this.connections.query(addNextJobs('id = $1'), [webhookId]);
  }

  async endpointSucceeded({ webhookId }: DueDelivery): Promise<void> {
    await this.connections.query(
      'UPDATE webhooks SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL',
      [webhookId],
    );
  }

  /**
   * Disables an endpoint that responded 410 or has failed for five days. Does nothing if the owner has changed the URL
   * since.
   * @returns why it was disabled, or `undefined` if it was not
   */
  async endpointFailed(
    { webhookId, url }: DueDelivery,
    isGone: boolean,
  ): Promise<DisabledReason | undefined> {
    const [webhook] = await this.connections.query<{ reason: DisabledReason | null }>(
      `WITH failed AS (
         SELECT id, CASE WHEN $3 THEN 'gone' WHEN failing_since <= now() - interval '5 days' THEN 'failing' END AS reason
         FROM webhooks WHERE id = $1 AND url = $2 AND state = 'enabled' FOR UPDATE
       )
       UPDATE webhooks SET failing_since = coalesce(failing_since, now()), disabled_reason = reason,
                           state = CASE WHEN reason IS NULL THEN state ELSE 'disabled' END
       FROM failed WHERE webhooks.id = failed.id RETURNING reason`,
      [webhookId, url, isGone],
    );
    return webhook?.reason ?? undefined;
  }
}
