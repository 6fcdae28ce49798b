import type { Clock } from '../../kernel/clock/clock.js';
import { seconds } from '../../kernel/clock/duration.js';
import type { Attempt } from '../webhook-delivery.entity.js';
import type { WebhookMetrics } from '../webhook.metrics.js';
import type { DeliveryStore, DueDelivery, Endpoint } from './delivery-store.js';
import { OutcomeWriter } from './outcome-writer.js';
import { waitAfter } from './retry-schedule.js';
import { SendWindow } from './send-window.js';

/** Sends a delivery; `undefined` where the process stops before the attempt has a result. */
type Send = (due: DueDelivery) => Promise<Attempt | undefined>;

const BATCH = 200;
/** After that, the webhook waits until others have had their turn. */
const LENGTH = seconds(10);
const GONE = 410;

interface Dependencies {
  readonly clock: Clock;
  readonly metrics: WebhookMetrics;
  readonly stop: AbortSignal;
}

/** Sends the deliveries that are due to one webhook, several at a time, until none is due or its turn ends. */
export class DeliveryRun {
  private readonly window: SendWindow;
  private readonly writer: OutcomeWriter;
  private readonly end: number;
  private queue: DueDelivery[] = [];
  private sending = 0;
  private isExhausted = false;
  private wake?: () => void;
  private hasSucceeded = false;
  private firstFailure?: number;
  private hasGone = false;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly store: DeliveryStore,
    private readonly send: Send,
    private readonly dependencies: Dependencies,
  ) {
    this.window = new SendWindow(endpoint.failingSince !== null);
    this.writer = new OutcomeWriter(store);
    this.end = dependencies.clock.elapsed() + LENGTH;
  }

  /** Whether the endpoint has responded with 410. */
  get isGone(): boolean {
    return this.hasGone;
  }

  /** Since when no attempt has succeeded, after this turn. */
  get failingSince(): Date | null {
    if (this.hasSucceeded) return null;
    if (this.endpoint.failingSince) return this.endpoint.failingSince;
    return this.firstFailure === undefined ? null : new Date(this.firstFailure);
  }

  /** @throws errors of the database */
  async sendAll(): Promise<void> {
    do {
      await this.refill();
      while (this.queue.length > 0 && this.sending < this.window.limit) this.start();
      if (this.sending > 0) await new Promise<void>((resolve) => (this.wake = resolve));
    } while (this.sending > 0 || this.queue.length > 0);
    await this.writer.finish();
  }

  private async refill(): Promise<void> {
    if (this.isOver())
      this.queue = []; // they stay pending
    else if (this.queue.length === 0 && !this.isExhausted) {
      const now = new Date(this.dependencies.clock.now());
      this.queue = await this.store.due(this.endpoint.id, now, BATCH, [...this.writer.taken]);
      this.isExhausted = this.queue.length < BATCH;
      for (const { id } of this.queue) this.writer.taken.add(id);
    }
  }

  private isOver(): boolean {
    const { clock, stop } = this.dependencies;
    return this.hasGone || stop.aborted || clock.elapsed() >= this.end;
  }

  private start(): void {
    const due = this.queue.shift();
    if (!due) return;
    this.sending += 1;
    void this.send(due).then((attempt) => {
      this.sending -= 1;
      if (attempt) this.settle(due, attempt);
      this.wake?.();
    });
  }

  private settle({ id, tries: before }: DueDelivery, attempt: Attempt): void {
    const { clock, metrics } = this.dependencies;
    const tries = before + 1;
    if (attempt.error === undefined) {
      this.hasSucceeded = true;
      this.window.succeeded();
      metrics.ended('delivered');
      this.writer.add({ id, state: 'delivered', tries, nextAttemptAt: null, attempt });
      return;
    }
    this.window.failed();
    this.firstFailure ??= clock.now();
    this.hasGone ||= attempt.status === GONE;
    const wait = this.hasGone ? undefined : waitAfter(tries);
    const nextAttemptAt = wait === undefined ? null : new Date(clock.now() + wait);
    if (!nextAttemptAt) metrics.ended('failed');
    this.writer.add({ id, state: nextAttemptAt ? 'pending' : 'failed', tries, nextAttemptAt, attempt });
  }
}
