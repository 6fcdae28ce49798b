import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type BeforeApplicationShutdown,
} from '@nestjs/common';
import { minutes } from '../kernel/clock/duration.js';
import { StoredResponses } from './stored-responses.js';

const INTERVAL = minutes(10);
const BATCH = 1_000;

/** Deletes expired responses every 10 minutes, in short statements. */
@Injectable()
export class StoredResponsesCleanup implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(StoredResponsesCleanup.name);
  private timer?: NodeJS.Timeout;

  constructor(private readonly stored: StoredResponses) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.run().catch((error: unknown) => {
        this.logger.warn(`Expired responses were not deleted; the next run tries again: ${String(error)}`);
      });
    }, INTERVAL).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async run(): Promise<void> {
    while ((await this.stored.deleteExpired(BATCH)) === BATCH);
  }
}
