import { Injectable } from '@nestjs/common';
import type { Attempt } from '../webhook-delivery.entity.js';
import type { DisabledReason } from '../webhook.entity.js';
import { addJob, isActive } from '../statements.js';
import { WorkerConnections } from './worker-connections.js';

/** A webhook whose turn it is. Ids are text, because they are only passed on. */
export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly secret: Buffer;
  readonly previousSecret: Buffer | null;
  readonly previousEndsAt: Date | null;
  readonly failingSince: Date | null;
  /** Identifies the turn: only the process that has it ends it. */
  readonly turn: string;
}

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
}

/** The result of an attempt. */
export interface Outcome {
  readonly id: string;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly tries: number;
  readonly nextAttemptAt: Date | null;
  readonly attempt: Attempt;
}

/** Seconds after which a turn ends by itself: longer than any turn takes, unless its process has died. */
const TURN = 30;
/** The attempts that are kept of a delivery: on demand it is sent any number of times. */
const MAX_ATTEMPTS = 50;

/** The state of deliveries, in PostgreSQL. */
@Injectable()
export class DeliveryStore {
  constructor(private readonly connections: WorkerConnections) {}

  /**
   * Takes the turn of a webhook, by the clock of the database, which all processes share.
   * @returns `undefined` while another process has it, and where nothing may be delivered: the webhook is disabled or
   * deleted, or its key is not valid any more
   */
  async takeTurn(webhookId: string, now: Date): Promise<Endpoint | undefined> {
    const [endpoint] = await this.connections.query<Endpoint>(
      `UPDATE webhooks SET delivering_until = clock_timestamp() + make_interval(secs => ${TURN})
       WHERE id = $1 AND (delivering_until IS NULL OR delivering_until < now()) AND ${isActive('$2')}
       RETURNING id::text, url, secret, previous_secret AS "previousSecret", previous_ends_at AS "previousEndsAt",
                 failing_since AS "failingSince", delivering_until::text AS turn`,
      [webhookId, now],
    );
    return endpoint;
  }

  async endTurn({ id, turn }: Endpoint): Promise<void> {
    await this.connections.query(
      'UPDATE webhooks SET delivering_until = NULL WHERE id = $1 AND delivering_until = $2::timestamptz',
      [id, turn],
    );
  }

  /** @param except those that are being sent */
  due(webhookId: string, now: Date, max: number, except: readonly string[]): Promise<DueDelivery[]> {
    return this.connections.query(
      `SELECT delivery.id::text, delivery.type, tries, created_at AS "createdAt", event_id::text AS "eventId",
              version, occurred_at AS "occurredAt", data::text
       FROM webhook_deliveries AS delivery LEFT JOIN events ON events.id = event_id
       WHERE webhook_id = $1 AND state = 'pending' AND next_attempt_at <= $2 AND delivery.id <> ALL ($4::bigint[])
       ORDER BY next_attempt_at, delivery.id LIMIT $3`,
      [webhookId, now, max, except],
    );
  }

  async write(outcomes: readonly Outcome[]): Promise<void> {
    await this.connections.query(
      `UPDATE webhook_deliveries AS delivery
       SET state = outcome.state, tries = outcome.tries, next_attempt_at = outcome."nextAttemptAt",
           attempts = CASE WHEN jsonb_array_length(attempts) < ${MAX_ATTEMPTS} THEN attempts ELSE attempts - 0 END
                      || outcome.attempt
       FROM jsonb_to_recordset($1) AS outcome
              (id bigint, state text, tries smallint, "nextAttemptAt" timestamptz, attempt jsonb)
       WHERE delivery.id = outcome.id AND delivery.state = 'pending'`,
      [JSON.stringify(outcomes)],
    );
  }

  /** @param since null: an attempt has succeeded */
  async setFailing(webhookId: string, since: Date | null): Promise<void> {
    await this.connections.query('UPDATE webhooks SET failing_since = $2 WHERE id = $1', [webhookId, since]);
  }

  /** Does nothing if its owner has changed the URL since. */
  async disable({ id, url }: Endpoint, reason: DisabledReason): Promise<void> {
    await this.connections.query(
      `UPDATE webhooks SET state = 'disabled', disabled_reason = $2 WHERE id = $1 AND url = $3 AND state = 'enabled'`,
      [id, reason, url],
    );
  }

  /** Has the queue come back to the webhook when its next attempt is due. @param wait milliseconds, at least */
  async schedule(webhookId: string, wait: number): Promise<void> {
    await this.connections.query(
      `SELECT ${addJob('$1', 'run_at => greatest(min(next_attempt_at), now() + make_interval(secs => $2))')}
       FROM webhook_deliveries WHERE webhook_id = $1::bigint AND state = 'pending'
       HAVING count(*) > 0`,
      [webhookId, wait / 1000],
    );
  }
}
