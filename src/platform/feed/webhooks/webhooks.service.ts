import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, Repository } from 'typeorm';
import { ApiKey } from '../../access/keys/api-key.entity.js';
import { rulesOf } from '../../access/plans/plans.js';
import { EventsService } from '../events/events.service.js';
import { IfMatchCondition } from '../../http/conditional/if-match.js';
import { keysetPage } from '../../http/pagination/keyset.js';
import type { Page, PageRequest } from '../../http/pagination/page.js';
import { Clock } from '../../kernel/clock/clock.js';
import { hours } from '../../kernel/clock/duration.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { FanOut } from './delivery/fan-out.js';
import { makeSecret, secretText } from './delivery/message.js';
import { SecretBox } from './delivery/secret-box.js';
import type { CreateWebhookDto } from './dto/create-webhook.dto.js';
import type { UpdateWebhookDto } from './dto/update-webhook.dto.js';
import { WebhookResponse, WebhookWithSecretResponse } from './dto/webhook.response.js';
import { EndpointUrl } from './endpoint-url.js';
import { DisabledReason, Webhook, WebhookState } from './webhook.entity.js';
import { TooManyWebhooks, WebhookDisabledByOperator, WebhookNotFound } from './webhook.errors.js';

/** How long the previous secret keeps signing after a rotation. */
const OVERLAP = hours(24);

/** The webhooks of a key. Webhooks of other keys are treated as missing. */
@Injectable()
export class WebhooksService {
  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly urls: EndpointUrl,
    private readonly secrets: SecretBox,
    private readonly events: EventsService,
    private readonly fanOut: FanOut,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidCursor */
  async list(owner: Int64, query: PageRequest): Promise<Page<WebhookResponse>> {
    const page = await keysetPage(this.webhooks, query, { apiKeyId: owner, deletedAt: IsNull() });
    return page.map((webhook) => this.response(webhook));
  }

  /** @throws ValidationFailed if the URL is not allowed, TooManyWebhooks */
  async create(owner: Int64, { url, types }: CreateWebhookDto): Promise<WebhookWithSecretResponse> {
    await this.urls.check(url);
    const secret = makeSecret();
    const afterEventId = await this.events.newestId();
    const webhook = await this.webhooks.manager.transaction(async (manager) => {
      const webhooks = manager.getRepository(Webhook);
      // Serialise requests of one key, so that two concurrent ones cannot exceed the limit.
      const { plan } = await manager.findOneOrFail(ApiKey, {
        where: { id: owner },
        lock: { mode: 'for_no_key_update' },
      });
      // One that has more, from before its plan changed, keeps them.
      const max = rulesOf(plan)?.webhooks ?? 0;
      if ((await webhooks.countBy({ apiKeyId: owner, deletedAt: IsNull() })) >= max)
        throw new TooManyWebhooks(plan, max);
      const webhook = webhooks.create({
        apiKeyId: owner,
        url,
        types,
        state: WebhookState.Enabled,
        secret: this.secrets.encrypt(secret),
        afterEventId,
        createdAt: new Date(this.clock.now()),
      });
      return webhooks.save(webhook);
    });
    return WebhookWithSecretResponse.withSecret(webhook, secretText(secret), this.clock.now());
  }

  /** @throws WebhookNotFound */
  async get(owner: Int64, webhookId: Int64): Promise<WebhookResponse> {
    return this.response(await this.owned(this.webhooks, owner, webhookId));
  }

  /** @throws WebhookNotFound, PreconditionFailed, ValidationFailed, WebhookDisabledByOperator */
  async update(
    owner: Int64,
    webhookId: Int64,
    change: UpdateWebhookDto,
    condition: IfMatchCondition,
  ): Promise<WebhookResponse> {
    const { url, types, state } = change;
    if (url !== undefined) await this.urls.check(url);
    const selects = types !== undefined || state === WebhookState.Disabled;
    if (selects) condition.check(await this.get(owner, webhookId)); // before the work that follows, and again
    const newestId = selects || state === WebhookState.Enabled ? await this.events.newestId() : 0;
    const changed = await this.change(owner, webhookId, selects, (webhook) => {
      condition.check(this.response(webhook));
      if (url !== undefined && url !== webhook.url) {
        webhook.url = url;
        webhook.failingSince = null; // a new endpoint
        webhook.endPause(); // its predecessor's
      }
      if (types !== undefined) webhook.types = types;
      if (state === WebhookState.Enabled) {
        if (webhook.disabledReason === DisabledReason.Operator) throw new WebhookDisabledByOperator();
        webhook.enable(newestId);
      }
      if (state === WebhookState.Disabled && webhook.state === WebhookState.Enabled)
        webhook.disable(DisabledReason.Request);
    });
    return this.response(changed);
  }

  /**
   * If the previous secret is still valid, only the newest secret is replaced, because its response may have
   * been lost. The previous one keeps its end time.
   * @throws WebhookNotFound
   */
  async rotateSecret(owner: Int64, webhookId: Int64): Promise<WebhookWithSecretResponse> {
    const secret = makeSecret();
    const rotated = await this.change(owner, webhookId, false, (webhook) => {
      const now = this.clock.now();
      if (!webhook.previousEndsAt || webhook.previousEndsAt.getTime() <= now) {
        webhook.previousSecret = webhook.secret;
        webhook.previousEndsAt = new Date(now + OVERLAP);
      }
      webhook.secret = this.secrets.encrypt(secret);
    });
    return WebhookWithSecretResponse.withSecret(rotated, secretText(secret), this.clock.now());
  }

  /** Its deliveries are deleted later, in batches. @throws WebhookNotFound, PreconditionFailed */
  async remove(owner: Int64, webhookId: Int64, condition: IfMatchCondition): Promise<void> {
    await this.change(owner, webhookId, false, (webhook) => {
      condition.check(this.response(webhook));
      webhook.deletedAt = new Date(this.clock.now());
    });
  }

  /** Returns a webhook of the key. @throws WebhookNotFound */
  async find(owner: Int64, webhookId: Int64, manager = this.webhooks.manager): Promise<Webhook> {
    return this.owned(manager.getRepository(Webhook), owner, webhookId);
  }

  /** @param selects whether it may change which events are sent: earlier ones get their deliveries first */
  private change(
    owner: Int64,
    webhookId: Int64,
    selects: boolean,
    work: (webhook: Webhook) => void,
  ): Promise<Webhook> {
    const run = async (manager: EntityManager): Promise<Webhook> => {
      const webhooks = manager.getRepository(Webhook);
      const webhook = await this.owned(webhooks, owner, webhookId, true);
      work(webhook);
      await webhooks.save(webhook);
      return webhook;
    };
    return selects ? this.fanOut.beforeChange(run) : this.webhooks.manager.transaction(run);
  }

  private async owned(
    webhooks: Repository<Webhook>,
    owner: Int64,
    id: Int64,
    forUpdate = false,
  ): Promise<Webhook> {
    const webhook = await webhooks.findOne({
      where: { id, apiKeyId: owner, deletedAt: IsNull() },
      ...(forUpdate && { lock: { mode: 'pessimistic_write' } }),
    });
    if (!webhook) throw new WebhookNotFound(id);
    return webhook;
  }

  private response(webhook: Webhook): WebhookResponse {
    return WebhookResponse.from(webhook, this.clock.now());
  }
}
