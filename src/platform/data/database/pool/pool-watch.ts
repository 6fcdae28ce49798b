import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../../kernel/clock/clock.js';
import { poolOf } from './service-pool.js';

/** Notices that connections do not come back, such as those of query runners that a module never releases. */
@Injectable()
export class PoolWatch {
  private readonly pool: ReturnType<typeof poolOf>;
  private lastMove: number;

  constructor(
    dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    this.pool = poolOf(dataSource);
    this.lastMove = clock.elapsed();
    const note = () => (this.lastMove = this.clock.elapsed());
    this.pool.on('acquire', note).on('release', note);
  }

  /**
   * Milliseconds for which all connections have been in use and none has come back; 0 if one is free, or may
   * still be opened.
   */
  stuckFor(): number {
    const { totalCount, idleCount, options } = this.pool;
    return totalCount >= options.max && idleCount === 0 ? this.clock.elapsed() - this.lastMove : 0;
  }
}
