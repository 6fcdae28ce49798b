import { type DataSource, IsNull } from 'typeorm';
import { EventSequencer } from '../events/event-sequencer.js';
import { EventsService } from '../events/events.service.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { DisabledReason, Webhook, type WebhookState } from './webhook.entity.js';
import { type Attempt, DeliveryState } from './webhook-delivery.entity.js';
import { END_PAUSE, IS_ACTIVE } from './webhook-sql.js';

/** Deliveries per transaction, during which no process begins to send to the webhook: milliseconds. */
const BATCH = 1_000;
/** Counting, and the search for the last attempts, stop here for each state. */
const MAX_COUNT = 10_000;
/** Attempts that are shown. */
const SHOWN = 20;

/** Why nothing is sent to a webhook: it is disabled, or its key may not receive events. */
export type Obstacle = 'disabled' | 'key';

/** SQL: the obstacle of a row of `webhooks`. */
const OBSTACLE = `CASE WHEN state = 'disabled' THEN 'disabled' WHEN NOT (${IS_ACTIVE}) THEN 'key' END AS obstacle`;

/** A webhook as shown to the operator. */
export interface WebhookOverview {
  readonly id: Int64;
  readonly keyId: Int64;
  readonly url: string;
  readonly types: readonly string[];
  readonly state: WebhookState;
  readonly disabledReason: DisabledReason | null;
  readonly obstacle: Obstacle | null;
  readonly failingSince: Date | null;
  /** Deliveries, at most 10,000 each. */
  readonly pending: number;
  readonly failed: number;
  /** The last failed attempt of those deliveries. */
  readonly lastError: Attempt | null;
}

/** An attempt, with its delivery. */
export interface ShownAttempt {
  readonly at: string;
  readonly deliveryId: Int64;
  /** Null for a ping. */
  readonly eventId: Int64 | null;
  readonly type: string;
  /** Of the delivery, now. */
  readonly state: DeliveryState;
  readonly milliseconds: number;
  /** HTTP status. Null if there was no response. */
  readonly status: number | null;
  /** Null if it succeeded. */
  readonly error: Attempt['error'] | null;
}

/** A webhook with its last attempts, newest first. */
export interface ShownWebhook extends WebhookOverview {
  readonly attempts: readonly ShownAttempt[];
}

/** What was resent to a webhook. */
export interface Retried {
  readonly id: Int64;
  readonly retried: number;
  readonly obstacle: Obstacle | null;
}

/** Operations on the webhooks of all keys. The CLI creates it without Nest. */
export class WebhookOperations {
  constructor(private readonly dataSource: DataSource) {}

  list(): Promise<WebhookOverview[]> {
    return this.dataSource.query(LIST, [null]);
  }

  /** @returns undefined for an unknown webhook */
  async show(id: Int64): Promise<ShownWebhook | undefined> {
    const [webhook] = await this.dataSource.query<WebhookOverview[]>(LIST, [id]);
    return webhook && { ...webhook, attempts: await this.dataSource.query(ATTEMPTS, [id]) };
  }

  /** The owner cannot enable it again. @returns false for an unknown webhook */
  disable(id: Int64): Promise<boolean> {
    return this.change(id, (webhook) => {
      webhook.disable(DisabledReason.Operator);
    });
  }

  /** Only later events are sent to it. @returns false for an unknown webhook */
  async enable(id: Int64): Promise<boolean> {
    const newestId = await new EventsService(this.dataSource, new EventSequencer(this.dataSource)).newestId();
    return this.change(id, (webhook) => {
      webhook.enable(newestId);
    });
  }

  /**
   * Sends everything again that has failed, and now what waits for a later attempt, with new retry schedules.
   * Skips what a process is sending at the moment, and events that have expired.
   * @param id of the only webhook, or `undefined` for all
   * @returns the number of deliveries by webhook; empty for an unknown one
   */
  async retry(id: Int64 | undefined): Promise<Retried[]> {
    const webhooks = await this.dataSource.query<{ id: Int64; obstacle: Obstacle | null }[]>(
      `SELECT id, ${OBSTACLE}
       FROM webhooks WHERE deleted_at IS NULL AND id = coalesce($1, id) ORDER BY id`,
      [id ?? null],
    );
    const all: Retried[] = [];
    for (const webhook of webhooks)
      all.push({ ...webhook, retried: webhook.obstacle === null ? await this.retryAll(webhook.id) : 0 });
    return all;
  }

  private change(id: Int64, work: (webhook: Webhook) => void): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      const where = { id, deletedAt: IsNull() };
      const webhook = await manager.findOne(Webhook, { where, lock: { mode: 'pessimistic_write' } });
      if (!webhook) return false;
      work(webhook);
      await manager.save(webhook);
      return true;
    });
  }

  /** What waits comes first: what failed waits afterwards, and may even have been tried. */
  private async retryAll(id: Int64): Promise<number> {
    const [begin] = await this.dataSource.query<{ at: string; newest: Int64 | null }[]>(
      `SELECT now()::text AS at, (SELECT max(id) FROM webhook_deliveries WHERE webhook_id = $1) AS newest`,
      [id],
    );
    let all = 0;
    for (const state of [DeliveryState.Pending, DeliveryState.Failed])
      for (let after: Int64 | null = 0; after !== null;) {
        const batch: Batch = await this.retryBatch([id, state, after, begin?.newest ?? null, begin?.at]);
        all += batch.count;
        after = batch.last;
      }
    await this.dataSource.query(END_PAUSE, [id]);
    return all;
  }

  private retryBatch(parameters: unknown[]): Promise<Batch> {
    return this.dataSource.transaction(async (manager) => {
      // A separate statement, so that the next one sees what a process claimed before.
      await manager.query('SELECT FROM webhooks WHERE id = $1 FOR NO KEY UPDATE', parameters.slice(0, 1));
      const [batch] = await manager.query<Batch[]>(RETRY, parameters);
      return batch ?? { last: null, count: 0 };
    });
  }
}

/** The last delivery of a batch, or null if there were none. */
interface Batch {
  readonly last: Int64 | null;
  readonly count: number;
}

/**
 * Resends deliveries of the webhook $1 in the state $2, from the id $3 to the id $4. All of them have one
 * time, $5, so that they keep their order. One that is claimed has the end of the lease as its next attempt.
 */
const RETRY = `
  WITH batch AS (
    SELECT delivery.id FROM webhook_deliveries AS delivery
      JOIN webhooks ON webhooks.id = webhook_id
    WHERE webhook_id = $1 AND delivery.state = $2 AND delivery.id > $3 AND delivery.id <= $4
      AND (next_attempt_at IS NULL OR next_attempt_at > statement_timestamp())
      AND NOT (busy_by IS NOT NULL AND next_attempt_at IS NOT DISTINCT FROM busy_until)
      AND (event_id IS NULL OR EXISTS (SELECT FROM events WHERE events.id = event_id))
      AND ${IS_ACTIVE}
    ORDER BY delivery.id LIMIT ${BATCH} FOR UPDATE OF delivery SKIP LOCKED
  ), retried AS (
    UPDATE webhook_deliveries AS delivery SET state = 'pending', tries = 0, next_attempt_at = $5
    FROM batch WHERE delivery.id = batch.id
    RETURNING delivery.id
  )
  SELECT max(id) AS last, count(*)::integer AS count FROM retried`;

const counted = (state: string): string => `
  (SELECT count(*) FROM (SELECT FROM webhook_deliveries
                         WHERE webhook_id = webhooks.id AND webhook_deliveries.state = '${state}'
                         LIMIT ${MAX_COUNT}) AS counted)::integer AS ${state}`;

/** SQL: deliveries of a webhook. Pending ones are tried in order, so those that were tried are the oldest. */
const deliveriesOf = (id: string, state: string): string => `
  (SELECT id, event_id, type, state, attempts FROM webhook_deliveries
   WHERE webhook_id = ${id} AND state = '${state}' ORDER BY id ${state === 'pending' ? '' : 'DESC'} LIMIT ${MAX_COUNT})`;

const LIST = `
  SELECT id, api_key_id AS "keyId", url, types, state, disabled_reason AS "disabledReason", ${OBSTACLE},
         failing_since AS "failingSince", ${counted('pending')}, ${counted('failed')},
         (SELECT attempts -> -1 FROM (${deliveriesOf('webhooks.id', 'pending')} UNION ALL ${deliveriesOf('webhooks.id', 'failed')}) AS delivery
          WHERE attempts -> -1 -> 'error' IS NOT NULL ORDER BY attempts -> -1 ->> 'at' DESC LIMIT 1) AS "lastError"
  FROM webhooks WHERE deleted_at IS NULL AND id = coalesce($1, id) ORDER BY id`;

/** The last attempts of the webhook $1. */
const ATTEMPTS = `
  SELECT attempt ->> 'at' AS at, id AS "deliveryId", event_id AS "eventId", type, state,
         (attempt -> 'milliseconds')::integer AS milliseconds, (attempt -> 'status')::integer AS status, attempt ->> 'error' AS error
  FROM (${Object.values(DeliveryState)
    .map((state) => deliveriesOf('$1', state))
    .join(' UNION ALL ')}) AS delivery, jsonb_array_elements(attempts) AS attempt
  ORDER BY at DESC, id DESC LIMIT ${SHOWN}`;
