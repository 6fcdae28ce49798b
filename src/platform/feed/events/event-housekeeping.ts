import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { days, minutes } from '../../kernel/clock/duration.js';
import { PeriodicTasks } from '../../kernel/clock/periodic-tasks.js';
import { inBatches } from '../../data/database/in-batches.js';
import { EventSequencer, HAS_EVENTS } from './event-sequencer.js';
import { WaitingWork } from './waiting-work.js';

const KEPT_FOR = days(30);
const CLEAR_EVERY = minutes(10);

/** Moves events into the feed and deletes old ones, in the background. */
@Injectable()
export class EventHousekeeping implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly tasks = PeriodicTasks.warning('Events', 'update the event feed');

  constructor(
    private readonly sequencer: EventSequencer,
    private readonly waiting: WaitingWork,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    const numberEvents = () => this.sequencer.catchUp();
    const clearEvents = () => this.clear();
    this.waiting.add(HAS_EVENTS, this.tasks.onDemand(numberEvents).begin);
    this.tasks.add(CLEAR_EVERY, clearEvents);
  }

  beforeApplicationShutdown(): void {
    void this.tasks.stop();
  }

  /** Deletes events older than 30 days, in short transactions. */
  async clear(): Promise<void> {
    await inBatches((limit) => this.clearBatch(limit));
  }

  /**
   * Expired events are not always the first ones, because processes with wrong clocks date theirs too late.
   * `cleared_to` shows which cursors have missed events.
   * @returns the number of deleted events
   */
  private async clearBatch(limit: number): Promise<number> {
    const [batch] = await this.dataSource.query<{ count: number }[]>(
      `WITH cleared AS (
         DELETE FROM events WHERE id = ANY (ARRAY(
           SELECT id FROM events WHERE occurred_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))
         RETURNING id
       ), mark AS (
         UPDATE event_feed SET cleared_to = greatest(cleared_to, (SELECT max(id) FROM cleared))
         WHERE EXISTS (SELECT FROM cleared)
       )
       SELECT count(*)::integer AS count FROM cleared`,
      [new Date(this.clock.now() - KEPT_FOR), limit],
    );
    return batch?.count ?? 0;
  }
}
