import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Events of one transaction of the sequencer: some 20 ms, in which other sequencers wait. */
const BATCH = 1_000;
/** Of one reader, who is not to wait for a backlog that others have left. */
const MAX_BATCHES = 5;

/**
 * Moves committed events from the outbox to the feed and gives them their ids, one process at a time: a reader who has
 * seen an id has seen every lower one that there will ever be. The ids of the outbox do not serve for that, because a
 * transaction may commit after another one that took a higher id.
 *
 * Of one batch, ids follow the order in which the events were recorded. A transaction that changes a row waits for the
 * lock of one that has changed it before, and records its event later: so the events of one row are in commit order,
 * as are those of two transactions where one began after the other had committed.
 */
@Injectable()
export class EventSequencer {
  private running?: Promise<void>;
  private next?: Promise<void>;

  constructor(private readonly dataSource: DataSource) {}

  /** Every event that was committed before the call is in the feed after it, unless others have left a long backlog. */
  catchUp(): Promise<void> {
    if (!this.running) return (this.running = this.pass().finally(() => (this.running = undefined)));
    // A pass that runs may be past what its caller has in mind. All who come meanwhile share the one behind it.
    this.next ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return this.catchUp();
      });
    return this.next;
  }

  private async pass(): Promise<void> {
    for (let batches = 0; batches < MAX_BATCHES && (await this.hasEvents()); batches++) {
      await this.dataSource.transaction('READ COMMITTED', sequenceBatch);
    }
  }

  private async hasEvents(): Promise<boolean> {
    const [row] = await this.dataSource.query<{ found: boolean }[]>(
      'SELECT EXISTS (SELECT FROM event_outbox) AS found',
    );
    return row?.found === true;
  }
}

async function sequenceBatch(manager: EntityManager): Promise<void> {
  // The lock comes first, in a statement of its own: the next one sees all that was committed before it got it.
  await manager.query('SELECT FROM event_feed FOR UPDATE');
  await manager.query(
    `WITH batch AS (
       DELETE FROM event_outbox WHERE id = ANY (ARRAY(SELECT id FROM event_outbox ORDER BY id LIMIT $1)) RETURNING *
     ), moved AS (
       INSERT INTO events (id, type, version, occurred_at, data)
       SELECT last_id + row_number() OVER (ORDER BY batch.id), type, version, occurred_at, data FROM batch, event_feed
       RETURNING id
     )
     UPDATE event_feed SET last_id = last_id + (SELECT count(*) FROM moved)`,
    [BATCH],
  );
}
