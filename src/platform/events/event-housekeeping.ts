import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../clock/clock.js';
import { days, minutes, seconds } from '../clock/duration.js';
import { PeriodicTasks } from '../clock/periodic-tasks.js';
import { EventSequencer } from './event-sequencer.js';

const KEPT_FOR = days(30);
const BATCH = 1_000;
const SEQUENCE_EVERY = seconds(1);
const CLEAR_EVERY = minutes(10);

/** Moves events into the feed and deletes old ones, in the background. */
@Injectable()
export class EventHousekeeping implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Events');
  private readonly tasks = new PeriodicTasks((error) => {
    this.logger.warn(`Could not update the event feed; retrying at the next run: ${String(error)}`);
  });

  constructor(
    private readonly sequencer: EventSequencer,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.add(SEQUENCE_EVERY, () => this.sequencer.catchUp());
    this.tasks.add(CLEAR_EVERY, () => this.clear());
  }

  beforeApplicationShutdown(): void {
    void this.tasks.stop();
  }

  /** Deletes events older than 30 days, in short transactions. */
  async clear(): Promise<void> {
    while ((await this.clearBatch()) === BATCH);
  }

  /**
   * Expired events are not always the first ones, because processes with wrong clocks date theirs too late. `cleared_to` shows
   * which cursors have missed events.
   * @returns the number of deleted events
   */
  private async clearBatch(): Promise<number> {
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
      [new Date(this.clock.now() - KEPT_FOR), BATCH],
    );
    return batch?.count ?? 0;
  }
}
