type Task = () => Promise<void>;

/** Between two looks for work once there was none. */
const SKIPPED_POLLS = 4;

/** Work in the background, each task at an interval and never twice at a time. Nothing of it keeps the process alive. */
export class PeriodicTasks {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running = new Map<Task, Promise<void>>();
  private readonly failing = new Set<Task>();

  /** @param onFailure is told of the first of failures of a task in a row; its next run tries again */
  constructor(private readonly onFailure: (error: unknown) => void) {}

  /** @param interval milliseconds */
  add(interval: number, task: Task): void {
    const run = (): void => {
      if (this.running.has(task)) return;
      const running = this.attempt(task).finally(() => this.running.delete(task));
      this.running.set(task, running);
    };
    this.timers.push(setInterval(run, interval).unref());
  }

  /**
   * Polls for work at each interval, or at every fifth after a poll that found none: polls are most of what an idle process does.
   * @param interval milliseconds
   * @param poll returns whether there was work
   * @returns a function after which the next interval polls
   */
  addPoll(interval: number, poll: () => Promise<boolean>): () => void {
    let toSkip = 0;
    this.add(interval, async () => {
      if (toSkip > 0) {
        toSkip -= 1;
        return;
      }
      toSkip = SKIPPED_POLLS; // unless it is asked to poll meanwhile
      let found = true;
      try {
        found = await poll();
      } finally {
        if (found) toSkip = 0; // or failed
      }
    });
    return () => {
      toSkip = 0;
    };
  }

  /** Starts no further task. @returns when those that are running have ended */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.running.values());
  }

  private async attempt(task: Task): Promise<void> {
    try {
      await task();
      this.failing.delete(task);
    } catch (error) {
      if (!this.failing.has(task)) this.onFailure(error);
      this.failing.add(task);
    }
  }
}
