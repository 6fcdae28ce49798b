import { Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { hours, withTimeout, seconds } from './duration.js';

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

/** How the runs of a task have ended. Times are in milliseconds of a monotonic clock. */
interface Outcomes {
  readonly name: string;
  /** Failed runs in all. */
  failed: number;
  /** Failed runs since the last one that succeeded, with the times of the first and of the last. */
  failing?: { runs: number; readonly since: number; until: number; saidAt: number } | undefined;
}

const RETRY_AFTER = seconds(0.25);
/** A failure that goes on is reported again after this time. */
const REPORT_EVERY = hours(1);

const known = new Set<Outcomes>();

/** How the tasks of this process do, until they are stopped. Several may have one name. */
export const taskOutcomes = (): { name: string; failed: number; failingFor: number }[] =>
  Array.from(known, ({ name, failed, failing }) => ({
    name,
    failed,
    failingFor: failing === undefined ? 0 : failing.until - failing.since,
  }));

/**
 * Runs background tasks, each at its interval or when it is begun, and never twice at the same time. The
 * timers do not keep the process alive.
 */
export class PeriodicTasks {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running = new Map<Task, Promise<boolean>>();
  private readonly outcomes: Outcomes[] = [];
  private hasStopped = false;

  /**
   * @param onFailure gets the first of consecutive errors of a task, and one in each hour while they go on.
   *   The task continues to run.
   */
  constructor(private readonly onFailure: (error: unknown) => void) {}

  /**
   * Tasks whose failures are warnings.
   * @param name in the log
   * @param failure what could not be done, for a sentence
   */
  static warning(name: string, failure: string): PeriodicTasks {
    const logger = new Logger(name);
    return new PeriodicTasks((error) => {
      logger.warn(`Could not ${failure}; retrying at the next run: ${String(error)}`);
    });
  }

  /**
   * @param interval milliseconds, from 1 to 2^31 - 1, which is 24 days
   * @param name in the metrics and in the log; without it, the name of the function
   * @throws RangeError for another interval, which a timer would take as 1 ms
   */
  add(interval: number, task: Task, name?: string): Run {
    if (!(interval >= 1 && interval < 2 ** 31))
      throw new RangeError(
        `The interval of a task must be from 1 ms to 24 days (2^31 - 1 ms), not ${interval} ms.`,
      );
    const { begin, runAgain } = this.onDemand(task, name);
    this.timers.push(setInterval(begin, interval).unref());
    return runAgain;
  }

  /** Adds a task without an interval. */
  onDemand(task: Task, name = task.name || 'unnamed'): BeginnableTask {
    const outcomes: Outcomes = { name, failed: 0 };
    this.outcomes.push(outcomes);
    known.add(outcomes);
    const start = (): Promise<boolean> => {
      const running = this.attempt(task, outcomes).finally(() => this.running.delete(task));
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
    for (const outcomes of this.outcomes) known.delete(outcomes);
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

  private async attempt(task: Task, outcomes: Outcomes): Promise<boolean> {
    try {
      await task();
      if (outcomes.failing) sayRecovered(outcomes.name, outcomes.failing);
      outcomes.failing = undefined;
      return true;
    } catch (error) {
      const now = performance.now();
      outcomes.failed += 1;
      outcomes.failing ??= { runs: 0, since: now, until: now, saidAt: -Infinity };
      outcomes.failing.runs += 1;
      outcomes.failing.until = now;
      if (now - outcomes.failing.saidAt >= REPORT_EVERY) {
        outcomes.failing.saidAt = now;
        this.onFailure(error);
      }
      return false;
    }
  }
}

function sayRecovered(name: string, { runs, since }: NonNullable<Outcomes['failing']>): void {
  const lasted = Math.round((performance.now() - since) / seconds(1));
  const failed = runs === 1 ? 'once' : `${runs} times`;
  new Logger('Background').log(`The task ${name} works again; it had failed ${failed} in ${lasted} s.`);
}
