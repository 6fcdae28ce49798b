import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import type { Runner } from 'graphile-worker';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { minutes, resultWithin, seconds } from '../../kernel/clock/duration.js';
import { PeriodicTasks } from '../../kernel/clock/periodic-tasks.js';
import { BuildInfo } from '../../observability/metrics/build-info.js';
import { EventsService } from '../../events/events.service.js';
import { WebhookDeliverer } from '../delivery/webhook-deliverer.js';
import { WorkerConnections } from '../delivery/worker-connections.js';
import { WebhooksConfig } from '../webhooks.config.js';
import { FanOut } from './fan-out.js';
import { cleanQueue, startQueue, unlockAbandonedJobs } from './job-queue.js';

const POLL_EVERY = seconds(1);
const UNLOCK_EVERY = seconds(5);
const CLEAN_EVERY = minutes(10);
/**
 * Attempts are aborted after 1.5 s. The rest is for PostgreSQL, whose own timeouts are longer than a shutdown may take.
 */
const STOP_TIMEOUT = seconds(3);

/**
 * Delivers webhooks in `petstore worker` and, unless `WEBHOOK_WORKER` is `off`, in the service. The queue is loaded and connected once the first
 * webhook exists; until then, the process only polls for one.
 */
@Injectable()
export class WebhookWorker implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly tasks = new PeriodicTasks((error) => {
    this.logger.warn(`Could not process webhooks; retrying at the next run: ${String(error)}`);
  });
  private queue?: Runner;

  constructor(
    private readonly config: WebhooksConfig,
    private readonly buildInfo: BuildInfo,
    private readonly dataSource: DataSource,
    private readonly connections: WorkerConnections,
    private readonly events: EventsService,
    private readonly fanOut: FanOut,
    private readonly deliverer: WebhookDeliverer,
  ) {}

  onModuleInit(): void {
    this.buildInfo.add({ delivers: String(this.delivers) });
  }

  onApplicationBootstrap(): void {
    if (!this.delivers) return;
    this.tasks.add(POLL_EVERY, () => this.poll());
    this.tasks.add(UNLOCK_EVERY, () => this.withQueue(unlockAbandonedJobs));
    this.tasks.add(CLEAN_EVERY, () => this.withQueue(cleanQueue));
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
  async beforeApplicationShutdown(): Promise<void> {
    await resultWithin(STOP_TIMEOUT, this.stop());
  }

  private async stop(): Promise<void> {
    await this.tasks.stop();
    await this.queue?.stop().catch((error: unknown) => {
      this.logger.warn(`The job queue did not stop cleanly: ${String(error)}`);
    });
    await this.connections.end();
  }

  private async poll(): Promise<void> {
    if (!(await this.hasWebhooks())) return;
    this.queue ??= await this.startQueue();
    await this.events.catchUp();
    await this.fanOut.run();
  }

  private async withQueue(work: (pool: Pool) => Promise<void>): Promise<void> {
    if (this.queue) await work(this.connections.pool);
  }

  private async hasWebhooks(): Promise<boolean> {
    const [row] = await this.dataSource.query<{ found: boolean }[]>(
      `SELECT EXISTS (SELECT FROM webhooks WHERE state = 'enabled' AND deleted_at IS NULL) AS found`,
    );
    return row?.found === true;
  }

  private async startQueue(): Promise<Runner> {
    const queue = await startQueue(this.connections.pool, (webhookId, stop) =>
      this.deliverer.deliver(webhookId, stop),
    );
    // The promise settles by itself only after an error. Then the next poll starts another queue.
    void queue.promise
      .catch((error: unknown) => {
        this.logger.error(`The job queue failed: ${String(error)}`);
      })
      .finally(() => (this.queue = undefined));
    return queue;
  }
}
