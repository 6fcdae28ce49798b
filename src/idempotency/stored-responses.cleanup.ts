import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type BeforeApplicationShutdown,
} from '@nestjs/common';
import { minutes } from '../kernel/clock/duration.js';
import { PeriodicTasks } from '../kernel/clock/periodic-tasks.js';
import { StoredResponses } from './stored-responses.js';

const INTERVAL = minutes(10);
const BATCH = 1_000;

/** Deletes expired responses every 10 minutes, in short statements. */
@Injectable()
export class StoredResponsesCleanup implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(StoredResponsesCleanup.name);
  private readonly tasks = new PeriodicTasks((error) => {
    this.logger.warn(`Expired responses were not deleted; the next run tries again: ${String(error)}`);
  });

  constructor(private readonly stored: StoredResponses) {}

  onApplicationBootstrap(): void {
    this.tasks.add(INTERVAL, () => this.run());
  }

  beforeApplicationShutdown(): void {
    void this.tasks.stop();
  }

  async run(): Promise<void> {
    while ((await this.stored.deleteExpired(BATCH)) === BATCH);
  }
}
