import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import type { Changes } from '../../writes/unit-of-work/changes.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { keysetPage } from '../../http/pagination/keyset.js';
import type { Page } from '../../http/pagination/page.js';
import { DeliveryResponse } from './dto/delivery.response.js';
import type { ListDeliveriesQuery } from './dto/list-deliveries.query.js';
import { DeliveryState, WebhookDelivery } from './webhook-delivery.entity.js';
import { WebhookState } from './webhook.entity.js';
import { END_PAUSE, GO_FIRST } from './webhook-sql.js';
import { PING } from './webhook.events.js';
import { DeliveryNotFound, WebhookDisabled } from './webhook.errors.js';
import { WebhooksService } from './webhooks.service.js';

const EVENT = 'SELECT FROM events WHERE id = $1';

@Injectable()
export class DeliveriesService {
  constructor(
    @InjectRepository(WebhookDelivery) private readonly deliveries: Repository<WebhookDelivery>,
    private readonly webhooks: WebhooksService,
  ) {}

  /** Newest first. @throws WebhookNotFound, InvalidCursor */
  async list(owner: Int64, webhookId: Int64, query: ListDeliveriesQuery): Promise<Page<DeliveryResponse>> {
    const { id } = await this.webhooks.find(owner, webhookId);
    const page = await keysetPage(this.deliveries, query, { webhookId: id, state: query.state }, 'DESC');
    return page.map((delivery) => DeliveryResponse.from(delivery));
  }

  /**
   * Sends the delivery again, with a new retry schedule.
   * @throws WebhookNotFound, DeliveryNotFound, WebhookDisabled
   */
  async retry(owner: Int64, webhookId: Int64, id: Int64, changes: Changes): Promise<DeliveryResponse> {
    const webhook = await this.enabled(changes, owner, webhookId);
    return changes.transaction(async ({ manager }) => {
      await manager.query(END_PAUSE, [webhook.id]);
      const delivery = await manager.findOne(WebhookDelivery, {
        where: { id, webhookId: webhook.id },
        lock: { mode: 'pessimistic_write' },
      });
      if (!delivery) throw new DeliveryNotFound(id);
      const { eventId } = delivery;
      if (eventId !== null && (await manager.query<object[]>(EVENT, [eventId])).length === 0)
        throw DeliveryNotFound.ofExpiredEvent(id);
      return sendNow(manager, delivery);
    });
  }

  /** Sends a test event. @throws WebhookNotFound, WebhookDisabled */
  async ping(owner: Int64, webhookId: Int64, changes: Changes): Promise<DeliveryResponse> {
    const { id } = await this.enabled(changes, owner, webhookId);
    return changes.transaction(async ({ manager }) => {
      await manager.query(END_PAUSE, [id]);
      const ping = { webhookId: id, eventId: null, type: PING.name, attempts: [] };
      return sendNow(manager, manager.create(WebhookDelivery, ping));
    });
  }

  private async enabled({ manager }: Changes, owner: Int64, webhookId: Int64) {
    const webhook = await this.webhooks.find(owner, webhookId, manager);
    if (webhook.state === WebhookState.Disabled) throw new WebhookDisabled();
    return webhook;
  }
}

/**
 * Asked for by hand, it goes before the backlog. Schedules use the database's clock, which all processes
 * share.
 */
async function sendNow(manager: EntityManager, delivery: WebhookDelivery): Promise<DeliveryResponse> {
  const [row] = await manager.query<{ now: Date }[]>('SELECT now()');
  Object.assign(delivery, { state: DeliveryState.Pending, tries: 0, nextAttemptAt: row?.now });
  await manager.save(delivery);
  await manager.query(GO_FIRST, [delivery.webhookId, delivery.id]);
  return DeliveryResponse.from(delivery);
}
