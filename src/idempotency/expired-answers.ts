import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type BeforeApplicationShutdown,
} from '@nestjs/common';
import { minutes } from '../kernel/clock/duration.js';
import { KeptAnswers } from './kept-answers.js';

const EVERY = minutes(10);
const BATCH = 1_000;

/** Clears what nobody can ask for any more: each process every 10 minutes, in short statements. */
@Injectable()
export class ExpiredAnswers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ExpiredAnswers.name);
  private timer?: NodeJS.Timeout;

  constructor(private readonly kept: KeptAnswers) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.clear().catch((error: unknown) => {
        this.logger.warn(`Expired answers could not be cleared, trying again: ${String(error)}`);
      });
    }, EVERY).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async clear(): Promise<void> {
    while ((await this.kept.clear(BATCH)) === BATCH);
  }
}
