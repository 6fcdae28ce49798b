import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { seconds } from '../../../kernel/clock/duration.js';
import type { Attempt } from '../webhook-delivery.entity.js';
import type { DisabledReason } from '../webhook.entity.js';
import { IS_ACTIVE } from '../webhook-sql.js';

/**
 * A delivery whose next attempt is due, with its webhook. Ids are strings because no code here computes with
 * them.
 */
export interface DueDelivery {
  readonly id: string;
  readonly type: string;
  /** Attempts in the current schedule. */
  readonly tries: number;
  /** Until then, no other process makes an attempt. A text, because a `Date` lacks the microseconds. */
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

/** A webhook that waits for a slot. */
export interface DueWebhook {
  readonly id: string;
  /** Slots that its key has before this one, those of the webhooks listed before it included. */
  readonly slotsOfKey: number;
}

/** What a failure of an endpoint means. */
interface EndpointFailure {
  /** Why the webhook was disabled. Null if it was not. */
  readonly reason: DisabledReason | null;
  /** Whether the endpoint worked before. */
  readonly isFirst: boolean;
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

/**
 * How long a process has a webhook and up to eight of its deliveries: longer than sending, connecting and a
 * query take.
 */
export const LEASE = seconds(20);
/** Concurrent requests to one endpoint. */
const BATCH = 8;
/**
 * How many attempts are stored for each delivery. Older ones are dropped, because retries on demand are
 * unlimited.
 */
const MAX_ATTEMPTS = 50;

/** SQL: whether a webhook is free and has a due delivery. */
const IS_DUE = `
  (busy_until IS NULL OR busy_until <= now())
  AND EXISTS (SELECT FROM webhook_deliveries AS delivery
              WHERE webhook_id = webhooks.id AND delivery.state = 'pending' AND next_attempt_at <= now())`;

const END_OF_LEASE = `now() + interval '${LEASE} ms'`;

/** SQL: how long a failing webhook pauses: 10 % of its failing time, from 1 s to 1 min. */
const PAUSE = `least(interval '1 minute', greatest(interval '1 s', (now() - failing_since) / 10))`;

/**
 * The queue of deliveries: the table itself. A process leases a webhook (`busy_until`, `busy_by`), then
 * claims its due deliveries by moving `next_attempt_at`. While no process has it, `busy_until` is the end of
 * a pause: after a failure, or because the endpoint asked for one. All times use the database's clock.
 */
@Injectable()
export class DeliveryStore {
  private readonly process = randomUUID();
  /** SQL: whether there is anything for `due()` to do. */
  readonly hasWork = `EXISTS (SELECT FROM webhooks WHERE busy_by = '${this.process}' OR ${IS_DUE})`;

  constructor(private readonly dataSource: DataSource) {}

  /**
   * Finds webhooks that have due deliveries and are free. Each key gets its first slot before any gets its
   * second, and so on; among equals, healthy webhooks come first, and then the key that was served longest
   * ago.
   * @param serving those that this process serves now. It gives up its other leases: it never learnt of them,
   *   or failed.
   */
  async due(serving: readonly string[], limit: number): Promise<DueWebhook[]> {
    await this.dataSource.query(
      `WITH lost AS (
         SELECT id, busy_until FROM webhooks WHERE busy_by = $1 AND id <> ALL ($2::bigint[]) FOR NO KEY UPDATE
       ), freed AS (
         UPDATE webhooks SET busy_until = NULL, busy_by = NULL FROM lost WHERE webhooks.id = lost.id
       )
       UPDATE webhook_deliveries AS delivery SET next_attempt_at = now() FROM lost
       WHERE webhook_id = lost.id AND state = 'pending' AND next_attempt_at = lost.busy_until`,
      [this.process, serving],
    );
    return this.dataSource.query<DueWebhook[]>(
      `WITH key AS (
         SELECT api_key_id, count(*) FILTER (WHERE id = ANY ($1::bigint[])) AS slots, max(served_at) AS served_at
         FROM webhooks GROUP BY api_key_id
       ), due AS (
         SELECT id, api_key_id, failing_since,
                row_number() OVER (PARTITION BY api_key_id
                                   ORDER BY failing_since DESC NULLS FIRST, served_at NULLS FIRST, id) AS place
         FROM webhooks
         WHERE ${IS_DUE} AND id <> ALL ($1::bigint[])
       )
       SELECT id::text, (slots + place - 1)::integer AS "slotsOfKey" FROM due JOIN key USING (api_key_id)
       ORDER BY slots + place, failing_since DESC NULLS FIRST, key.served_at NULLS FIRST, id LIMIT $2`,
      [serving, limit],
    );
  }

  /**
   * Leases a webhook, or renews the lease, and claims deliveries that are due, oldest first. None if another
   * process has it.
   */
  claim(webhookId: string): Promise<DueDelivery[]> {
    return this.dataSource.query<DueDelivery[]>(
      `WITH free AS (
         SELECT id FROM webhooks
         WHERE id = $1 AND (busy_until IS NULL OR busy_until <= now() OR busy_by = $2) FOR NO KEY UPDATE SKIP LOCKED
       ), due AS (
         SELECT delivery.id, next_attempt_at FROM webhook_deliveries AS delivery JOIN free ON webhook_id = free.id
         WHERE delivery.state = 'pending' AND next_attempt_at <= now()
         ORDER BY next_attempt_at, delivery.id LIMIT ${BATCH} FOR UPDATE OF delivery SKIP LOCKED
       ), leased AS (
         UPDATE webhooks SET busy_until = ${END_OF_LEASE}, busy_by = $2, served_at = now()
         FROM free WHERE webhooks.id = free.id AND EXISTS (SELECT FROM due)
       ), claimed AS (
         UPDATE webhook_deliveries AS delivery SET next_attempt_at = ${END_OF_LEASE}
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
      [webhookId, this.process],
    );
  }

  /**
   * Ends the lease. A failing webhook then pauses, unless its pause has been ended since the last claim.
   * @param askedPause milliseconds for which the endpoint has asked to be left alone
   */
  async release(webhookId: string, askedPause = 0): Promise<void> {
    await this.dataSource.query(
      `UPDATE webhooks SET busy_by = NULL, busy_until = CASE WHEN served_at IS NOT NULL THEN now() + nullif(greatest(
         CASE WHEN failing_since IS NOT NULL THEN ${PAUSE} END, make_interval(secs => $3::float8 / 1000)), interval '0') END,
         served_at = coalesce(served_at, now())
       WHERE id = $1 AND busy_by = $2`,
      [webhookId, this.process, askedPause],
    );
  }

  /**
   * A delivery that is no longer claimed keeps its state and its next attempt: a retry was requested during
   * the attempt, or another process has claimed it.
   * @param again whether PostgreSQL may have stored them already, although the connection was lost
   * @returns whether one of them is due again
   */
  async write(outcomes: readonly Outcome[], again = false): Promise<boolean> {
    const [rows] = await this.dataSource.query<[{ due: boolean }[], number]>(
      `UPDATE webhook_deliveries AS delivery
       SET state = CASE WHEN next_attempt_at = "claimedUntil" THEN outcome.state ELSE delivery.state END,
           next_attempt_at = CASE WHEN next_attempt_at = "claimedUntil" THEN now() + make_interval(secs => wait / 1000)
                             ELSE next_attempt_at END,
           tries = tries + (attempt IS NOT NULL AND next_attempt_at = "claimedUntil")::integer,
           attempts = CASE WHEN jsonb_array_length(attempts) < ${MAX_ATTEMPTS} THEN attempts ELSE attempts - 0 END
                      || coalesce(attempt, '[]')
       FROM jsonb_to_recordset($1) AS outcome (id bigint, "claimedUntil" timestamptz, state text, wait float8, attempt jsonb)
       WHERE delivery.id = outcome.id AND delivery.state = 'pending' 
         AND NOT ($2 AND attempts @> jsonb_build_array(attempt))
       RETURNING delivery.state = 'pending' AND next_attempt_at <= now() AS due`,
      [JSON.stringify(outcomes), again],
    );
    return rows.some(({ due }) => due);
  }

  /** @returns whether it failed before */
  async endpointSucceeded({ webhookId }: DueDelivery): Promise<boolean> {
    const [, changed] = await this.dataSource.query<[unknown[], number]>(
      'UPDATE webhooks SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL',
      [webhookId],
    );
    return changed > 0;
  }

  /**
   * Disables an endpoint that responded 410 or has failed for five days. Does nothing if the owner has
   * changed the URL since.
   * @returns why it was disabled, if it was, and whether it worked before
   */
  async endpointFailed(
    { webhookId, url }: DueDelivery,
    isGone: boolean,
  ): Promise<EndpointFailure | undefined> {
    const [[failure]] = await this.dataSource.query<[EndpointFailure[], number]>(
      `WITH failed AS (
         SELECT id, failing_since IS NULL AS "isFirst", CASE WHEN $3 THEN 'gone' WHEN failing_since <= now() - interval '5 days' THEN 'failing' END AS reason
         FROM webhooks WHERE id = $1 AND url = $2 AND (state = 'enabled' OR $3 AND disabled_reason = 'gone') FOR NO KEY UPDATE
       )
       UPDATE webhooks SET failing_since = coalesce(failing_since, now()), disabled_reason = reason,
                           state = CASE WHEN reason IS NULL THEN state ELSE 'disabled' END
       FROM failed WHERE webhooks.id = failed.id RETURNING reason, "isFirst"`,
      [webhookId, url, isGone],
    );
    return failure;
  }
}
