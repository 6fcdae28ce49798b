import { setTimeout as delay } from 'node:timers/promises';
import { resultWithin, seconds } from './duration.js';

type Task = () => Promise<void>;
/** Runs a task once more, after a running one. The promise does not reject: it tells whether the task succeeded. */
type Run = () => Promise<boolean>;

/** Polls to skip after one that found no work. */
const SKIPPED_POLLS = 4;
const RETRY_AFTER = seconds(0.25);

/** Runs background tasks, each at its interval and never twice at the same time. The timers do not keep the process alive. */
export class PeriodicTasks {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running = new Map<Task, Promise<boolean>>();
  private readonly failing = new Set<Task>();

  /** @param onFailure gets the first of consecutive errors of a task. The task continues to run. */
  constructor(private readonly onFailure: (error: unknown) => void) {}

  /** @param interval milliseconds */
  add(interval: number, task: Task): Run {
    const start = (): Promise<boolean> => {
      const running = this.attempt(task).finally(() => this.running.delete(task));
      this.running.set(task, running);
      return running;
    };
    const run = (): void => {
      if (!this.running.has(task)) void start();
    };
    this.timers.push(setInterval(run, interval).unref());
    return async () => {
      while (this.running.has(task)) await this.running.get(task);
      return start();
    };
  }

  /**
   * Polls for work at each interval, or at every fifth after a poll that found none: an idle process should cost little.
   * @param interval milliseconds
   * @param poll returns whether it found work
   * @returns a function that makes the next interval poll
   */
  addPoll(interval: number, poll: () => Promise<boolean>): () => void {
    let toSkip = 0;
    this.add(interval, async () => {
      if (toSkip > 0) {
        toSkip -= 1;
        return;
      }
      toSkip = SKIPPED_POLLS; // before the poll: the returned function may reset it meanwhile
      let found = true;
      try {
        found = await poll();
      } finally {
        if (found) toSkip = 0; // or if the poll failed
      }
    });
    return () => {
      toSkip = 0;
    };
  }

  /** Stops all tasks. Resolves when the running ones have ended. */
  async stop(): Promise<void> {
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
    return (await resultWithin(limit, last())) ?? false;
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
