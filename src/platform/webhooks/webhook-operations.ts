import { type DataSource, IsNull } from 'typeorm';
import { EventSequencer } from '../events/event-sequencer.js';
import { EventsService } from '../events/events.service.js';
import type { Int64 } from '../json/int64.js';
import { DisabledReason, Webhook, type WebhookState } from './webhook.entity.js';
import { END_PAUSE, IS_ACTIVE } from './webhook-sql.js';

const BATCH = 1_000;
/** Counting stops here. */
const MAX_COUNT = 10_000;

/** A webhook as shown to the operator. */
export interface WebhookOverview {
  readonly id: Int64;
  readonly keyId: Int64;
  readonly url: string;
  readonly types: readonly string[];
  readonly state: WebhookState;
  readonly disabledReason: DisabledReason | null;
  readonly failingSince: Date | null;
  /** Deliveries, at most 10,000 each. */
  readonly pending: number;
  readonly failed: number;
}

/** Operations on the webhooks of all keys. The CLI creates it without Nest. */
export class WebhookOperations {
  constructor(private readonly dataSource: DataSource) {}

  list(): Promise<WebhookOverview[]> {
    return this.dataSource.query(LIST);
  }

  /** Why nothing is sent to a webhook, or null. @returns undefined for an unknown webhook */
  async obstacleOf(id: Int64): Promise<'disabled' | 'key' | null | undefined> {
    const [webhook] = await this.dataSource.query<{ obstacle: 'disabled' | 'key' | null }[]>(
      `SELECT CASE WHEN state = 'disabled' THEN 'disabled' WHEN NOT (${IS_ACTIVE}) THEN 'key' END AS obstacle
       FROM webhooks WHERE id = $1 AND deleted_at IS NULL`,
      [id],
    );
    return webhook?.obstacle;
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

  /** Resends failed deliveries created since the given time. @returns their number */
  async retry(id: Int64, since: Date): Promise<number> {
    let all = 0;
    for (let count = BATCH; count === BATCH; all += count) count = await this.retryBatch(id, since);
    await this.dataSource.query(END_PAUSE, [id]);
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

  private async retryBatch(id: Int64, since: Date): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `UPDATE webhook_deliveries SET state = 'pending', tries = 0, next_attempt_at = now()
       WHERE id = ANY (ARRAY(SELECT id FROM webhook_deliveries
                             WHERE webhook_id = $1 AND state = 'failed' AND created_at >= $2
                             ORDER BY id LIMIT ${BATCH}))`,
      [id, since],
    );
    return count;
  }
}

const counted = (state: string): string => `
  (SELECT count(*) FROM (SELECT FROM webhook_deliveries
                         WHERE webhook_id = webhooks.id AND webhook_deliveries.state = '${state}'
                         LIMIT ${MAX_COUNT}) AS counted)::integer AS ${state}`;

const LIST = `
  SELECT id, api_key_id AS "keyId", url, types, state, disabled_reason AS "disabledReason",
         failing_since AS "failingSince", ${counted('pending')}, ${counted('failed')}
  FROM webhooks WHERE deleted_at IS NULL ORDER BY id`;
