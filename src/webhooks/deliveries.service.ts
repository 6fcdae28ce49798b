import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import { Clock } from '../kernel/clock/clock.js';
import type { Int64 } from '../kernel/json/int64.js';
import { decodeCursor, encodeCursor } from '../kernel/pagination/cursor.js';
import { Page } from '../kernel/pagination/page.js';
import { PING } from './delivery/message.js';
import { DeliveryJobs } from './delivery-jobs.js';
import { DeliveryResponse } from './dto/delivery.response.js';
import type { ListDeliveriesQuery } from './dto/list-deliveries.query.js';
import { DeliveryState, WebhookDelivery } from './webhook-delivery.entity.js';
import { WebhookState } from './webhook.entity.js';
import { DeliveryNotFound, WebhookDisabled } from './webhook.errors.js';
import { WebhooksService } from './webhooks.service.js';

/** The deliveries to the webhooks of a key. */
@Injectable()
export class DeliveriesService {
  constructor(
    @InjectRepository(WebhookDelivery) private readonly deliveries: Repository<WebhookDelivery>,
    private readonly webhooks: WebhooksService,
    private readonly jobs: DeliveryJobs,
    private readonly clock: Clock,
  ) {}

  /** Newest first. @throws WebhookNotFound, InvalidCursor */
  async list(
    owner: Int64,
    webhookId: Int64,
    { limit, cursor, state }: ListDeliveriesQuery,
  ): Promise<Page<DeliveryResponse>> {
    const { id } = await this.webhooks.find(owner, webhookId);
    const scope = `deliveries ${id} ${state ?? ''}`;
    const rows = await this.deliveries.find({
      where: {
        webhookId: id,
        ...(state && { state }),
        ...(cursor !== undefined && { id: LessThan(decodeCursor(cursor, scope)) }),
      },
      order: { id: 'DESC' },
      take: limit + 1, // one row more shows whether there is a next page
    });
    const last = rows[limit - 1];
    const next = rows.length > limit && last ? encodeCursor(last.id, scope) : undefined;
    return new Page(rows.slice(0, limit), next).map((delivery) => DeliveryResponse.from(delivery));
  }

  /** Sends it again, with a new schedule of retries. @throws WebhookNotFound, DeliveryNotFound, WebhookDisabled */
  async retry(owner: Int64, webhookId: Int64, id: Int64): Promise<DeliveryResponse> {
    const webhook = await this.enabled(owner, webhookId);
    return this.deliveries.manager.transaction(async (manager) => {
      const deliveries = manager.getRepository(WebhookDelivery);
      const delivery = await deliveries.findOne({
        where: { id, webhookId: webhook.id },
        lock: { mode: 'pessimistic_write' },
      });
      if (!delivery) throw new DeliveryNotFound(id);
      delivery.state = DeliveryState.Pending;
      delivery.tries = 0;
      delivery.nextAttemptAt = new Date(this.clock.now());
      await deliveries.save(delivery);
      await this.jobs.add(manager, webhook.id);
      return DeliveryResponse.from(delivery);
    });
  }

  /** Sends a test event. @throws WebhookNotFound, WebhookDisabled */
  async ping(owner: Int64, webhookId: Int64): Promise<DeliveryResponse> {
    const webhook = await this.enabled(owner, webhookId);
    const now = new Date(this.clock.now());
    return this.deliveries.manager.transaction(async (manager) => {
      const deliveries = manager.getRepository(WebhookDelivery);
      const delivery = deliveries.create({
        webhookId: webhook.id,
        eventId: null,
        type: PING,
        state: DeliveryState.Pending,
        tries: 0,
        attempts: [],
        nextAttemptAt: now,
        createdAt: now,
      });
      await deliveries.save(delivery);
      await this.jobs.add(manager, webhook.id);
      return DeliveryResponse.from(delivery);
    });
  }

  private async enabled(owner: Int64, webhookId: Int64) {
    const webhook = await this.webhooks.find(owner, webhookId);
    if (webhook.state === WebhookState.Disabled) throw new WebhookDisabled();
    return webhook;
  }
}
