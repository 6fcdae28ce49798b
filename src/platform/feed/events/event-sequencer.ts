import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { errorCodeOf } from '../../kernel/errors/error-code.js';
import { queryPrepared } from '../../data/statements/run-named.js';

/** Events per transaction. A batch takes about 20 ms, during which other sequencers wait. */
const BATCH = 1_000;
/** SQL: whether committed events wait for their ids. */
export const HAS_EVENTS = 'EXISTS (SELECT FROM event_outbox)';
/** Limits how long one reader waits for a backlog. */
const MAX_BATCHES = 5;

/**
 * Moves committed events from the outbox to the feed and assigns their ids, one process at a time, so that no
 * lower id appears later. Outbox ids do not guarantee that, because a transaction with a lower id may commit
 * later.
 *
 * Within a batch, ids follow the order of recording. A transaction that changes a row waits for the lock of
 * an earlier one and records later, so the events of one row are in commit order.
 */
@Injectable()
export class EventSequencer {
  private running?: Promise<boolean>;
  private next?: Promise<boolean>;

  constructor(private readonly dataSource: DataSource) {}

  /**
   * Moves all events committed before the call, up to a limit. They wait while the database is read-only.
   * @returns whether that limit has left some
   */
  catchUp(): Promise<boolean> {
    if (!this.running) return (this.running = this.pass().finally(() => (this.running = undefined)));
    // A running pass may have read too early. Calls during it share the next one.
    this.next ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return this.catchUp();
      });
    return this.next;
  }

  private async pass(): Promise<boolean> {
    let moved = 0; // by the last batch; a full one may have left some
    try {
      for (let batches = 0; batches < MAX_BATCHES && (await this.hasEvents()); batches++)
        moved = await this.dataSource.transaction('READ COMMITTED', sequenceBatch);
    } catch (error) {
      if (!isReadOnly(error)) throw error;
    }
    return moved === BATCH && (await this.hasEvents());
  }

  private async hasEvents(): Promise<boolean> {
    const [row] = await queryPrepared<{ found: boolean }>(
      this.dataSource.manager,
      `SELECT ${HAS_EVENTS} AS found`,
      [],
    );
    return row?.found === true;
  }
}

/** SQLSTATE read_only_sql_transaction */
const isReadOnly = (error: unknown): boolean => errorCodeOf(error) === '25006';

/** @returns how many events it has moved */
async function sequenceBatch(manager: EntityManager): Promise<number> {
  // This must be a separate statement, so that the next one sees everything committed before the lock was
  // taken.
  await manager.query('SELECT FROM event_feed FOR UPDATE');
  const [rows] = await manager.query<[{ moved: number }[], number]>(
    `WITH batch AS (
       DELETE FROM event_outbox WHERE id = ANY (ARRAY(SELECT id FROM event_outbox ORDER BY id LIMIT $1)) RETURNING *
     ), moved AS (
       INSERT INTO events (id, type, version, occurred_at, data)
       SELECT last_id + row_number() OVER (ORDER BY batch.id), type, version, occurred_at, data FROM batch, event_feed
       RETURNING id
     )
     UPDATE event_feed SET last_id = last_id + (SELECT count(*) FROM moved)
     RETURNING (SELECT count(*)::integer FROM moved) AS moved`,
    [BATCH],
  );
  return rows[0]?.moved ?? 0;
}
