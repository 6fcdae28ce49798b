import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { seconds, withTimeout } from '../../../kernel/clock/duration.js';
import { PeriodicTasks } from '../../../kernel/clock/periodic-tasks.js';
import { EventsService } from '../../events/events.service.js';
import { WaitingWork } from '../../events/waiting-work.js';
import { BuildInfo } from '../../../observe/metrics/build-info.js';
import { WebhooksConfig } from '../webhooks.config.js';
import { DeliveryStore } from './delivery-store.js';
import { FanOut, HAS_EVENTS_TO_READ } from './fan-out.js';
import { WebhookDeliverer } from './webhook-deliverer.js';

/** Webhooks that this process serves concurrently; it mostly waits for their endpoints. */
const CONCURRENCY = 100;
/**
 * A key gets a further slot while it has less than this share of those that are free: at most 25 alone, 18
 * beside another such key, 7 beside nine. So slow endpoints of several keys together leave slots for the next
 * key, which gets its first one at once.
 */
const SHARE_OF_FREE = 1 / 3;
const ABORT_AFTER = seconds(1.5);
/** Includes time for PostgreSQL, whose own timeouts are longer than a shutdown may take. */
const STOP_TIMEOUT = seconds(2);

/**
 * Delivers webhooks in `petstore worker` and, unless `WEBHOOK_WORKER` is `off`, in the service: new events
 * and due deliveries, whichever process added them.
 */
@Injectable()
export class WebhookWorker
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  private readonly logger = new Logger('Webhooks');
  private readonly tasks = PeriodicTasks.warning('Webhooks', 'process webhooks');
  private readonly serving = new Map<
    string,
    { readonly abort: AbortController; readonly done: Promise<void> }
  >();

  private stopped?: Promise<void>;

  constructor(
    private readonly config: WebhooksConfig,
    private readonly buildInfo: BuildInfo,
    private readonly waiting: WaitingWork,
    private readonly events: EventsService,
    private readonly fanOut: FanOut,
    private readonly store: DeliveryStore,
    private readonly deliverer: WebhookDeliverer,
  ) {}

  onModuleInit(): void {
    this.buildInfo.add({ delivers: String(this.delivers) });
  }

  onApplicationBootstrap(): void {
    if (!this.delivers) return;
    const delivering = this.tasks.onDemand(() => this.deliverDue(), 'deliverWebhooks');
    const reading = this.tasks.onDemand(async () => {
      if ((await this.readFeed()) > 0) await delivering.runAgain();
    }, 'addDeliveries');
    this.waiting.add(this.store.hasWork, delivering.begin);
    this.waiting.add(HAS_EVENTS_TO_READ, reading.begin);
    if (this.isDedicated) this.logger.log('The worker delivers webhooks.');
  }

  private get delivers(): boolean {
    return this.config.worker || this.isDedicated;
  }

  /** Whether this process is `petstore worker`. */
  private get isDedicated(): boolean {
    return this.buildInfo.component === 'worker';
  }

  /**
   * Requests still running at the timeout are aborted, and another process sends them again. Receivers detect
   * duplicates by their id.
   */
  onModuleDestroy(): void {
    this.stopped = withTimeout(this.stop(), STOP_TIMEOUT, () => undefined);
  }

  /** Only here does it wait: Nest calls the hooks in turn, and requests are served meanwhile. */
  async onApplicationShutdown(): Promise<void> {
    await this.stopped;
  }

  private async stop(): Promise<void> {
    this.deliverer.stop();
    await this.tasks.stop();
    const serving = [...this.serving.values()];
    const timer = setTimeout(() => {
      for (const { abort } of serving) abort.abort();
    }, ABORT_AFTER);
    await Promise.all(serving.map(({ done }) => done));
    clearTimeout(timer);
  }

  /** @returns how many events it read */
  private async readFeed(): Promise<number> {
    await this.events.catchUp();
    return this.fanOut.run();
  }

  private async deliverDue(): Promise<void> {
    const due = await this.store.due([...this.serving.keys()], CONCURRENCY - this.serving.size);
    for (const { id, slotsOfKey } of due) {
      const free = CONCURRENCY - this.serving.size;
      if (slotsOfKey > 0 && slotsOfKey >= free * SHARE_OF_FREE) break; // so have all after it
      const abort = new AbortController();
      const done = this.deliverer
        .deliver(id, abort.signal)
        .catch((error: unknown) => {
          this.logger.warn(`Could not deliver to webhook ${id}; retrying: ${String(error)}`);
        })
        .finally(() => this.serving.delete(id));
      this.serving.set(id, { abort, done });
    }
  }
}
