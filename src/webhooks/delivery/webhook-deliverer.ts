import { Injectable, Logger } from '@nestjs/common';
import { VERSION } from '../../kernel/version.js';
import { Clock } from '../../kernel/clock/clock.js';
import type { Attempt } from '../webhook-delivery.entity.js';
import { WebhookMetrics } from '../webhook.metrics.js';
import { DeliveryStore, type DueDelivery } from './delivery-store.js';
import { contentOf } from './message.js';
import { waitAfter } from './retry-schedule.js';
import { SecretBox } from './secret-box.js';
import { signedHeaders } from './signature.js';
import { type SendResult, WebhookSender } from './webhook-sender.js';

const USER_AGENT = `petstore-webhooks/${VERSION}`;
const GONE = 410;

/** The process stops before the attempt has a result. The queue runs the job again. */
class AttemptAbandoned extends Error {}

/** Makes attempts to deliver. */
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
   * Makes the attempt that is due, and schedules the next one.
   * @param stop ends the attempt
   * @throws AttemptAbandoned, errors of the database
   */
  async deliver(deliveryId: string, stop?: AbortSignal): Promise<void> {
    const due = await this.store.due(deliveryId);
    if (!due) return;
    if (!due.isActive) {
      await this.store.write(due, { state: 'failed' });
      this.metrics.ended('failed');
      return;
    }
    const attempt = await this.attempt(due, stop);
    if (attempt.error === undefined) await this.succeeded(due, attempt);
    else await this.failed(due, attempt);
  }

  private async succeeded(due: DueDelivery, attempt: Attempt): Promise<void> {
    await this.store.write(due, { state: 'delivered', attempt });
    this.metrics.ended('delivered');
    if (due.isFailing) await this.store.endpointSucceeded(due);
  }

  private async failed(due: DueDelivery, attempt: Attempt): Promise<void> {
    const isGone = attempt.status === GONE;
    const reason = await this.store.endpointFailed(due, isGone);
    if (reason) this.logger.warn(`Webhook ${due.webhookId} is disabled: its endpoint is ${reason}.`);
    else if (due.isFailing) await this.store.postpone(due);
    const wait = isGone ? undefined : waitAfter(due.tries + 1);
    await this.store.write(due, { state: wait === undefined ? 'failed' : 'pending', wait, attempt });
    if (wait === undefined) this.metrics.ended('failed');
  }

  private async attempt(due: DueDelivery, stop?: AbortSignal): Promise<Attempt> {
    const began = this.clock.elapsed();
    const at = new Date(this.clock.now()).toISOString();
    const result = await this.post(due, stop);
    if (!result) throw new AttemptAbandoned('The process stops before the endpoint has responded.');
    const milliseconds = Math.round(this.clock.elapsed() - began);
    this.metrics.attempted(result.error ?? 'success', milliseconds);
    return { at, milliseconds, ...result };
  }

  private async post(due: DueDelivery, stop?: AbortSignal): Promise<SendResult | undefined> {
    const content = contentOf(due);
    if (!content) return { error: 'event_expired' };
    const secrets = this.secretsOf(due);
    if (!secrets) return { error: 'secret_unreadable' };
    const timestamp = Math.floor(this.clock.now() / 1000);
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(content.body),
      'User-Agent': USER_AGENT,
      ...signedHeaders({ ...content, timestamp }, secrets),
    };
    return this.sender.send(due.url, headers, content.body, stop);
  }

  /** The secrets that sign: for a while after a rotation the previous one too. */
  private secretsOf({
    webhookId,
    secret,
    previousSecret,
    previousEndsAt,
  }: DueDelivery): Buffer[] | undefined {
    const isRotating = previousEndsAt !== null && previousEndsAt.getTime() > this.clock.now();
    try {
      return [secret, ...(previousSecret && isRotating ? [previousSecret] : [])].map((stored) =>
        this.secrets.decrypt(stored),
      );
    } catch (error) {
      this.logger.error(`The secret of webhook ${webhookId} cannot be read: ${String(error)}`);
      return undefined;
    }
  }
}
