import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { seconds } from '../../kernel/clock/duration.js';
import { service } from '../../kernel/config/service.js';
import { clockOffset, DATABASE_TIME } from '../../data/database/clock-offset.js';
import { PeriodicTasks } from '../../kernel/clock/periodic-tasks.js';
import { queryPrepared } from '../../data/statements/run-named.js';
import { Metrics } from '../../observe/metrics/metrics.js';

const LOOK_EVERY = seconds(1);

/** PostgreSQL's time, and whether there is work of each kind. */
type Found = Record<`kind${number}`, boolean> & { readonly theirs: number };

/**
 * Begins the work that waits in the database, whichever process has left it there. One prepared statement
 * each second looks for all kinds of it, so an idle process does next to nothing, and brings PostgreSQL's time
 * along. `LISTEN` would not do: its notifications do not pass a pooler.
 */
@Injectable()
export class WaitingWork implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly tasks = PeriodicTasks.warning('Background', 'look for waiting work');

  private readonly kinds: { readonly condition: string; readonly begin: () => void }[] = [];

  private readonly offset: Gauge;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    { registry }: Metrics,
  ) {
    this.offset = new Gauge({
      name: `${service().prefix}_clock_offset_seconds`,
      help: "Seconds by which the clock of this process is ahead of PostgreSQL's, or behind if negative.",
      registers: [registry],
    });
  }

  onApplicationBootstrap(): void {
    const lookForWork = () => this.look();
    this.tasks.add(LOOK_EVERY, lookForWork);
  }

  beforeApplicationShutdown(): void {
    void this.tasks.stop();
  }

  /**
   * @param condition SQL: whether such work waits. It runs each second in each process, so it must be cheap
   *   if there is none
   * @param begin begins the work, unless it is running
   */
  add(condition: string, begin: () => void): void {
    this.kinds.push({ condition, begin });
  }

  private async look(): Promise<void> {
    const columns = this.kinds.map(({ condition }, i) => `(${condition}) AS kind${i}`);
    const text = `SELECT ${[`${DATABASE_TIME} AS theirs`, ...columns].join(', ')}`;
    const asked = this.clock.now();
    const [found] = await queryPrepared<Found>(this.dataSource.manager, text, []);
    if (found) this.offset.set(clockOffset(asked, found.theirs, this.clock.now()) / 1_000);
    this.kinds.forEach(({ begin }, i) => {
      if (found?.[`kind${i}`]) begin();
    });
  }
}
