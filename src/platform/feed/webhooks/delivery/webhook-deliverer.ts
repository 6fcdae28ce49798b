import { Injectable, Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { service } from '../../../kernel/config/service.js';
import { inSpan } from '../../../observe/tracing/tracing.js';
import { Clock } from '../../../kernel/clock/clock.js';
import { seconds } from '../../../kernel/clock/duration.js';
import { type Attempt, errorText } from '../webhook-delivery.entity.js';
import { DisabledReason } from '../webhook.entity.js';
import { WebhookMetrics } from '../webhook.metrics.js';
import { DeliveryStore, type DueDelivery, LEASE, type Outcome } from './delivery-store.js';
import { contentOf, signedHeaders } from './message.js';
import { waitAfter } from './retry-schedule.js';
import { SecretBox } from './secret-box.js';
import { type SendResult, WebhookSender } from './webhook-sender.js';

const userAgent = (): string => `${service().prefix}-webhooks/${service().version}`;
const GONE = 410;
/** A webhook that has more to deliver after this time lets others be served. */
const SERVING_TIME = seconds(10);
/** How long to wait before an outcome that could not be stored is written again. */
const WRITE_AGAIN_AFTER = seconds(0.5);

/** Failures of the service itself, for which no request was sent. */
const OWN_ERRORS: readonly Attempt['error'][] = ['secret_unreadable', 'event_expired'];

interface AttemptResult {
  readonly attempt: Attempt;
  /** Milliseconds for which the endpoint asks to be left alone. */
  readonly retryAfter?: number;
}

interface BatchResult {
  /** Whether there may be more to deliver now. */
  readonly mayHaveMore: boolean;
  /** Milliseconds for which the endpoint asks to be left alone. */
  readonly askedPause?: number;
}

@Injectable()
export class WebhookDeliverer {
  private readonly logger = new Logger('Webhooks');
  private stopping = false;

  constructor(
    private readonly store: DeliveryStore,
    private readonly sender: WebhookSender,
    private readonly secrets: SecretBox,
    private readonly metrics: WebhookMetrics,
    private readonly clock: Clock,
  ) {}

  /** Begins no further batch. */
  stop(): void {
    this.stopping = true;
  }

  /**
   * Makes the attempts that are due for a webhook until its time ends or one fails, unless another process
   * serves it.
   * @param stop aborts the attempts; another process makes them again
   * @throws database errors
   */
  deliver(webhookId: string, stop: AbortSignal = new AbortController().signal): Promise<void> {
    const attributes = { [`${service().prefix}.webhook_id`]: webhookId };
    return inSpan('deliver webhook', attributes, () => this.deliverAll(webhookId, stop));
  }

  private async deliverAll(webhookId: string, stop: AbortSignal): Promise<void> {
    const end = this.clock.elapsed() + SERVING_TIME;
    let batch: BatchResult;
    do batch = await this.deliverBatch(webhookId, stop);
    while (batch.mayHaveMore && this.clock.elapsed() < end && !this.stopping);
    await this.store.release(webhookId, batch.askedPause);
  }

  private async deliverBatch(webhookId: string, stop: AbortSignal): Promise<BatchResult> {
    const leaseEnds = this.clock.elapsed() + LEASE;
    const batch = await this.store.claim(webhookId);
    const [first] = batch;
    if (!first) return { mayHaveMore: false };
    if (!first.isActive) {
      await this.store.write(batch.map(({ id, claimedUntil }) => ({ id, claimedUntil, state: 'failed' })));
      return { mayHaveMore: true };
    }
    const made = await Promise.all(batch.map((due) => this.attempt(due, stop)));
    const attempts = made.flatMap((result) => (result ? [result.attempt] : []));
    const asked = Math.max(0, ...made.map((result) => result?.retryAfter ?? 0));
    for (let again = false; ; again = true) {
      try {
        const isGone = await this.noteEndpoint(first, attempts);
        const outcomes = batch.map((due, i) => outcomeOf(due, made[i], isGone));
        const isRetryRequested = await this.store.write(outcomes, again);
        if (isRetryRequested) return { mayHaveMore: true };
        const isHealthy =
          attempts.length === batch.length && attempts.every(({ error }) => error === undefined);
        return { mayHaveMore: isHealthy, askedPause: asked };
      } catch (error) {
        // Without its outcome, the message would be sent again after the failover.
        if (this.stopping || this.clock.elapsed() > leaseEnds) throw error;
        await delay(WRITE_AGAIN_AFTER, undefined, { ref: false });
      }
    }
  }

  /**
   * One success in a batch is enough to consider the endpoint healthy.
   * @returns whether the endpoint is gone, and has not been given another URL meanwhile
   */
  private async noteEndpoint(due: DueDelivery, attempts: readonly Attempt[]): Promise<boolean> {
    const made = attempts.filter(({ error }) => !OWN_ERRORS.includes(error));
    const isGone = made.some(({ status }) => status === GONE);
    if (isGone || (made.length > 0 && made.every(({ error }) => error !== undefined))) {
      const failure = await this.store.endpointFailed(due, isGone);
      if (failure?.reason != null)
        this.logger.warn(`Webhook ${due.webhookId} is disabled: its endpoint is ${failure.reason}.`);
      // Not its URL, which may contain a secret.
      else if (failure?.isFirst)
        this.logger.warn(`Webhook ${due.webhookId} begins to fail: ${errorText(made.at(-1))}.`);
      return failure?.reason === DisabledReason.Gone;
    } else if (due.isFailing && made.length > 0 && (await this.store.endpointSucceeded(due))) {
      this.logger.log(`Webhook ${due.webhookId} works again.`);
    }
    return false;
  }

  /** @returns `undefined` if the attempt was abandoned */
  private async attempt(due: DueDelivery, stop: AbortSignal): Promise<AttemptResult | undefined> {
    const began = this.clock.elapsed();
    const at = new Date(this.clock.now()).toISOString();
    const attributes = { [`${service().prefix}.delivery_id`]: due.id };
    const sent = await inSpan('attempt', attributes, async (span) => {
      const result = await this.post(due, stop);
      if (result?.status !== undefined) span?.setAttribute('http.response.status_code', result.status);
      if (result?.error !== undefined) span?.setAttribute('error.type', result.error);
      return result;
    });
    if (!sent) return undefined;
    const { retryAfter, ...result } = sent;
    const milliseconds = Math.round(this.clock.elapsed() - began);
    this.metrics.attempted(result.error ?? 'success');
    return { attempt: { at, milliseconds, ...result }, retryAfter };
  }

  private async post(due: DueDelivery, stop: AbortSignal): Promise<SendResult | undefined> {
    const content = contentOf(due);
    if (!content) return { error: 'event_expired' };
    const secrets = this.secretsOf(due);
    if (!secrets) return { error: 'secret_unreadable' };
    const timestamp = Math.floor(this.clock.now() / 1000);
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(content.body),
      'User-Agent': userAgent(),
      ...signedHeaders(content, timestamp, secrets),
    };
    return this.sender.send(due.url, headers, content.body, stop);
  }

  /** The secrets to sign with. For a while after a rotation they include the previous one. */
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

/** @param result `undefined` if it was abandoned: another process makes it immediately */
function outcomeOf(
  { id, claimedUntil, tries }: DueDelivery,
  result: AttemptResult | undefined,
  isGone: boolean,
): Outcome {
  if (!result) return { id, claimedUntil, state: 'pending', wait: 0 };
  const { attempt, retryAfter = 0 } = result;
  if (attempt.error === undefined) return { id, claimedUntil, state: 'delivered', attempt };
  const isFinal = (isGone && attempt.status === GONE) || attempt.error === 'event_expired';
  const scheduled = isFinal ? undefined : waitAfter(tries + 1);
  if (scheduled === undefined) return { id, claimedUntil, state: 'failed', attempt };
  return { id, claimedUntil, state: 'pending', wait: Math.max(scheduled, retryAfter), attempt };
}
