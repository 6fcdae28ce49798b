import { Injectable, Logger } from '@nestjs/common';
import { VERSION } from '../../kernel/version.js';
import { Clock } from '../../kernel/clock/clock.js';
import { minutes } from '../../kernel/clock/duration.js';
import type { Attempt } from '../webhook-delivery.entity.js';
import { DisabledReason } from '../webhook.entity.js';
import { WebhookMetrics } from '../webhook.metrics.js';
import { DeliveryStore, type DueDelivery, type Endpoint } from './delivery-store.js';
import { contentOf } from './message.js';
import { DISABLED_AFTER } from './retry-schedule.js';
import { SecretBox } from './secret-box.js';
import { signedHeaders } from './signature.js';
import { DeliveryRun } from './delivery-run.js';
import { type SendResult, WebhookSender } from './webhook-sender.js';

const USER_AGENT = `petstore-webhooks/${VERSION}`;
const NEVER = new AbortController().signal;
/** Between two turns of an endpoint that fails, at most. */
const MAX_PAUSE = minutes(1);

/** Sends the deliveries that are due, to one webhook at a time. */
@Injectable()
export class WebhookDeliverer {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly store: DeliveryStore,
    private readonly sender: WebhookSender,
    private readonly secrets: SecretBox,
    private readonly metrics: WebhookMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * Gives a webhook its turn, unless another process does, and schedules the next one.
   * @param stop ends the turn; running requests are abandoned, and their deliveries stay pending
   * @throws errors of the database
   */
  async deliver(webhookId: string, stop: AbortSignal = NEVER): Promise<void> {
    const endpoint = await this.store.takeTurn(webhookId, new Date(this.clock.now()));
    if (!endpoint) return;
    const run = new DeliveryRun(endpoint, this.store, (due) => this.send(endpoint, due, stop), {
      clock: this.clock,
      metrics: this.metrics,
      stop,
    });
    try {
      await run.sendAll();
      await this.updateState(endpoint, run);
    } finally {
      await this.store.endTurn(endpoint);
    }
    await this.store.schedule(webhookId, this.pause(run));
  }

  /** An endpoint that fails gets fewer turns, so that others are not delayed. */
  private pause({ failingSince }: DeliveryRun): number {
    return failingSince ? Math.min(MAX_PAUSE, (this.clock.now() - failingSince.getTime()) / 10) : 0;
  }

  private async send(endpoint: Endpoint, due: DueDelivery, stop: AbortSignal): Promise<Attempt | undefined> {
    const began = this.clock.elapsed();
    const at = new Date(this.clock.now()).toISOString();
    const result = await this.post(endpoint, due, stop);
    if (!result) return undefined;
    const milliseconds = Math.round(this.clock.elapsed() - began);
    this.metrics.attempted(result.error ?? 'success', milliseconds);
    return { at, milliseconds, ...result };
  }

  private async post(
    endpoint: Endpoint,
    due: DueDelivery,
    stop: AbortSignal,
  ): Promise<SendResult | undefined> {
    const content = contentOf(due, endpoint.id);
    if (!content) return { error: 'event_expired' };
    const secrets = this.secretsOf(endpoint);
    if (!secrets) return { error: 'secret_unreadable' };
    const timestamp = Math.floor(this.clock.now() / 1000);
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(content.body),
      'User-Agent': USER_AGENT,
      ...signedHeaders({ ...content, timestamp }, secrets),
    };
    return this.sender.send(endpoint.url, headers, content.body, stop);
  }

  /** The secrets that sign: for a while after a rotation the previous one too. */
  private secretsOf({ id, secret, previousSecret, previousEndsAt }: Endpoint): Buffer[] | undefined {
    const isRotating = previousEndsAt !== null && previousEndsAt.getTime() > this.clock.now();
    try {
      return [secret, ...(previousSecret && isRotating ? [previousSecret] : [])].map((stored) =>
        this.secrets.open(stored),
      );
    } catch (error) {
      this.logger.error(`The secret of webhook ${id} cannot be read: ${String(error)}`);
      return undefined;
    }
  }

  /** Disables an endpoint that is gone, or has failed for too long. */
  private async updateState(endpoint: Endpoint, { isGone, failingSince }: DeliveryRun): Promise<void> {
    const { id, failingSince: before } = endpoint;
    if (failingSince?.getTime() !== before?.getTime()) await this.store.setFailing(id, failingSince);
    const isLost = failingSince !== null && this.clock.now() - failingSince.getTime() >= DISABLED_AFTER;
    if (!isGone && !isLost) return;
    await this.store.disable(endpoint, isGone ? DisabledReason.Gone : DisabledReason.Failing);
    this.logger.warn(
      `Webhook ${id} is disabled: its endpoint ${isGone ? 'responded with 410' : 'failed for 5 days'}.`,
    );
  }
}
