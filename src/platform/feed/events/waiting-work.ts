import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { seconds } from '../../kernel/clock/duration.js';
import { Housekeeping } from '../../data/database/housekeeping.js';
import { queryPrepared } from '../../data/statements/run-named.js';

const LOOK_EVERY = seconds(1);

/**
 * Begins the work that waits in the database, whichever process has left it there. One prepared statement
 * each second looks for all kinds of it, so an idle process does next to nothing. `LISTEN` would not do: its
 * notifications do not pass a pooler.
 */
@Injectable()
export class WaitingWork extends Housekeeping {
  private readonly kinds: { readonly condition: string; readonly begin: () => void }[] = [];

  constructor(private readonly dataSource: DataSource) {
    super('Background', 'look for waiting work');
  }

  onApplicationBootstrap(): void {
    const lookForWork = () => this.look();
    this.every(LOOK_EVERY, lookForWork);
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
    const text = `SELECT ${columns.join(', ')}`;
    const [found] = await queryPrepared<Record<string, boolean>>(this.dataSource.manager, text, []);
    this.kinds.forEach(({ begin }, i) => {
      if (found?.[`kind${i}`]) begin();
    });
  }
}
