import { Injectable } from '@nestjs/common';
import { IS_ACTIVE } from '../active-webhooks.js';
import { addJobs, queuesOf } from '../delivery-jobs.js';
import type { Attempt } from '../webhook-delivery.entity.js';
import type { DisabledReason } from '../webhook.entity.js';
import { WorkerConnections } from './worker-connections.js';

/** A delivery whose next attempt is due, with its webhook. Ids are text, because they are only passed on. */
export interface DueDelivery {
  readonly id: string;
  readonly type: string;
  /** Attempts of the present schedule. */
  readonly tries: number;
  readonly createdAt: Date;
  /** Null for a ping. */
  readonly eventId: string | null;
  /** Null for a ping and for an event that has been cleared; likewise the two below. */
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

/** What has become of a delivery. */
export interface Outcome {
  readonly state: 'pending' | 'delivered' | 'failed';
  /** Milliseconds until the next attempt of a pending one. */
  readonly wait?: number;
  /** Absent where none was made. */
  readonly attempt?: Attempt;
}

/** The attempts that are kept of a delivery: on demand it is sent any number of times. */
const MAX_ATTEMPTS = 50;
/** Jobs of one statement, so that it takes much less than the timeout. */
const MAX_POSTPONED = 5_000;

/** The state of deliveries, in PostgreSQL, by its clock. */
@Injectable()
export class DeliveryStore {
  constructor(private readonly connections: WorkerConnections) {}

  /** @returns `undefined` where it is not due: it has been sent or deleted, or put off */
  async due(deliveryId: string): Promise<DueDelivery | undefined> {
    const [due] = await this.connections.query<DueDelivery>(
      `SELECT delivery.id::text, delivery.type, tries, delivery.created_at AS "createdAt", event_id::text AS "eventId",
              version, occurred_at AS "occurredAt", data::text, webhook_id::text AS "webhookId", url, secret,
              previous_secret AS "previousSecret", previous_ends_at AS "previousEndsAt",
              failing_since IS NOT NULL AS "isFailing", ${IS_ACTIVE} AS "isActive"
       FROM webhook_deliveries AS delivery
         JOIN webhooks ON webhooks.id = webhook_id
         LEFT JOIN events ON events.id = event_id
       WHERE delivery.id = $1 AND delivery.state = 'pending' AND next_attempt_at <= now()`,
      [deliveryId],
    );
    return due;
  }

  /** Writes what has become of a delivery, and adds the job of the next attempt. */
  async write({ id }: DueDelivery, { state, wait, attempt }: Outcome): Promise<void> {
    await this.connections.query(
      `WITH written AS (
         UPDATE webhook_deliveries
         SET state = $2, next_attempt_at = now() + make_interval(secs => $3), tries = tries + jsonb_array_length($4),
             attempts = CASE WHEN jsonb_array_length(attempts) < ${MAX_ATTEMPTS} THEN attempts ELSE attempts - 0 END || $4
         WHERE id = $1 AND state = 'pending' RETURNING id, webhook_id, event_id, next_attempt_at
       ) ${addJobs('written WHERE next_attempt_at IS NOT NULL')}`,
      [id, state, wait === undefined ? null : wait / 1000, JSON.stringify(attempt ? [attempt] : [])],
    );
  }

  async endpointSucceeded({ webhookId }: DueDelivery): Promise<void> {
    await this.connections.query(
      'UPDATE webhooks SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL',
      [webhookId],
    );
  }

  /**
   * Disables an endpoint that is gone, or has failed for five days. Does nothing if its owner has changed the URL since.
   * @returns why it has been disabled
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

  /**
   * Puts off all due attempts of an endpoint that keeps failing, by a tenth of the time for which it has, at least 5 s and
   * at most a minute: the queue does not have to pass over them.
   */
  async postpone({ webhookId }: DueDelivery): Promise<void> {
    await this.connections.query(
      `SELECT count(*) FROM graphile_worker.reschedule_jobs(
         ARRAY(SELECT id FROM graphile_worker.jobs
               WHERE starts_with(queue_name, ${queuesOf('$1::text')}) AND run_at <= now() AND locked_at IS NULL
               LIMIT ${MAX_POSTPONED}),
         run_at => now() + (SELECT least(interval '1 minute', greatest(interval '5 s', (now() - failing_since) / 10))
                            FROM webhooks WHERE id = $1::bigint))`,
      [webhookId],
    );
  }
}
