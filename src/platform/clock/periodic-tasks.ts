import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout, seconds } from './duration.js';

type Task = () => Promise<unknown>;
/**
 * Runs a task once more, after a running one. The promise does not reject: it tells whether the task
 * succeeded.
 */
type Run = () => Promise<boolean>;

interface BeginnableTask {
  /** Begins it, unless it is running or the tasks have been stopped. */
  readonly begin: () => void;
  readonly runAgain: Run;
}

const RETRY_AFTER = seconds(0.25);

/**
 * Runs background tasks, each at its interval or when it is begun, and never twice at the same time. The
 * timers do not keep the process alive.
 */
export class PeriodicTasks {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running = new Map<Task, Promise<boolean>>();
  private readonly failing = new Set<Task>();
  private hasStopped = false;

  /** @param onFailure gets the first of consecutive errors of a task. The task continues to run. */
  constructor(private readonly onFailure: (error: unknown) => void) {}

  /** @param interval milliseconds */
  add(interval: number, task: Task): Run {
    const { begin, runAgain } = this.onDemand(task);
    this.timers.push(setInterval(begin, interval).unref());
    return runAgain;
  }

  /** Adds a task without an interval. */
  onDemand(task: Task): BeginnableTask {
    const start = (): Promise<boolean> => {
      const running = this.attempt(task).finally(() => this.running.delete(task));
      this.running.set(task, running);
      return running;
    };
    return {
      begin: () => {
        if (!this.hasStopped && !this.running.has(task)) void start();
      },
      runAgain: async () => {
        while (this.running.has(task)) await this.running.get(task);
        return start();
      },
    };
  }

  /** Stops all tasks. Resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.hasStopped = true;
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.running.values());
  }

  /**
   * Stops all tasks, and repeats one of them until it succeeds, for what a shutdown must not lose.
   * @param limit milliseconds
   * @returns whether it succeeded in time
   */
  async stopAfter(run: Run, limit: number): Promise<boolean> {
    const end = performance.now() + limit;
    const last = async () => {
      await this.stop();
      while (performance.now() < end) {
        if (await run()) return true;
        await delay(RETRY_AFTER);
      }
      return false;
    };
    return withTimeout(last(), limit, () => false);
  }

  private async attempt(task: Task): Promise<boolean> {
    try {
      await task();
      this.failing.delete(task);
      return true;
    } catch (error) {
      if (!this.failing.has(task)) this.onFailure(error);
      this.failing.add(task);
      return false;
    }
  }
}
