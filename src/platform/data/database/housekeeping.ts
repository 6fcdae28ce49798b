import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTasks } from '../../kernel/clock/periodic-tasks.js';

/** Rows of one statement that deletes many: it holds their locks for milliseconds. */
const BATCH = 1_000;

/** Work of a module in the background: from the start of the application to the beginning of its end. */
export abstract class Housekeeping implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly tasks: PeriodicTasks;

  /**
   * @param name in the log
   * @param failure what could not be done, for a sentence
   */
  protected constructor(name: string, failure: string) {
    const logger = new Logger(name);
    this.tasks = new PeriodicTasks((error) => {
      logger.warn(`Could not ${failure}; retrying at the next run: ${String(error)}`);
    });
  }

  /** Begins the tasks. */
  abstract onApplicationBootstrap(): void;

  beforeApplicationShutdown(): void {
    void this.tasks.stop();
  }

  /** @param interval milliseconds between two runs */
  protected every(interval: number, task: () => Promise<void>): void {
    this.tasks.add(interval, task);
  }

  /** @returns begins the task, unless it is running or the end has begun */
  protected onDemand(task: () => Promise<void>): () => void {
    return this.tasks.onDemand(task).begin;
  }
}

/**
 * Deletes rows until none are left.
 * @param remove deletes at most so many, and returns how many it has deleted
 */
export async function inBatches(remove: (limit: number) => Promise<number>): Promise<void> {
  while ((await remove(BATCH)) === BATCH);
}
