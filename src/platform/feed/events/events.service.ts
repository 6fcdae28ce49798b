import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ServiceUnavailable } from '../../kernel/errors/common.errors.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { decodeCursor, encodeCursor, Page, isFirst } from '../../http/pagination/page.js';
import { EventResponse, type EventRow } from './dto/event.response.js';
import type { ListEventsQuery } from './dto/list-events.query.js';
import { EventSequencer } from './event-sequencer.js';
import { EventsExpired } from './event.errors.js';

/** An event with the state of the feed at the same instant. An empty page is one row without an event. */
interface Row extends Omit<EventRow, 'id'> {
  readonly id: Int64 | null;
  readonly lastId: Int64;
  readonly clearedTo: Int64;
  /** Whether the cursor is among the ids that `new-ids` has left out: those of events after the restored copy. */
  readonly isLeftOut: boolean;
  /** A standby may not have yet what its primary has. */
  readonly isReadOnly: boolean;
}

const COLUMNS = 'id, type, version, occurred_at AS "occurredAt", data::text AS data';

const select = (filter: string): string => `
  SELECT event.*, last_id AS "lastId", cleared_to AS "clearedTo",
         $1 > cleared_to AND $1 < last_id AND NOT EXISTS (SELECT FROM events WHERE id = $1)
           AND (SELECT min(id) - 1 FROM events WHERE id > $1) IS DISTINCT FROM $1 AS "isLeftOut",
         current_setting('transaction_read_only')::boolean AS "isReadOnly"
  FROM event_feed LEFT JOIN LATERAL (
    SELECT ${COLUMNS} FROM events WHERE id > $1 ${filter} ORDER BY id LIMIT $2
  ) AS event ON true
  ORDER BY id`;

const isEvent = (row: Row): row is Row & EventRow => row.id !== null;

const ALL = select('');
const OF_TYPE = select('AND type = $3');

/** Reads the feed, oldest event first. */
@Injectable()
export class EventsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sequencer: EventSequencer,
  ) {}

  /**
   * Returns the events after a cursor, or none with the cursor of what comes after now. The page always has a
   * next one, because new events may follow.
   * @throws InvalidCursor, EventsExpired
   */
  async list({ limit, cursor, type, since }: ListEventsQuery): Promise<Page<EventResponse>> {
    const scope = `events ${type ?? ''}`;
    // "Now" is a position in the feed. A time would miss events: they have that of their writing, which is
    // before their commit.
    if (since !== undefined)
      return new Page<EventResponse>([], encodeCursor(await this.newestId(), scope)).begunBy('since');
    const after = isFirst(cursor) ? undefined : decodeCursor(cursor, scope);
    await this.sequencer.catchUp();
    const rows = await this.read(after ?? 0n, limit, type);
    const { lastId = 0, clearedTo = 0, isLeftOut = false, isReadOnly = false } = rows[0] ?? {};
    if (after !== undefined && (after < clearedTo || isLeftOut)) throw new EventsExpired();
    // The feed went back, by a restored backup: other events are going to have the ids up to the cursor.
    const isAhead = after !== undefined && after > lastId;
    if (isAhead && !isReadOnly) throw new EventsExpired();
    const events = rows.filter(isEvent);
    // A partial page ends at the newest event of all types, so that an active reader's cursor does not
    // expire.
    const end = events.length === limit ? events.at(-1)?.id : isAhead ? after : lastId;
    const page = new Page(events, encodeCursor(end ?? lastId, scope));
    return page.map((event) => EventResponse.from(event));
  }

  /** Moves everything committed before the call into the feed, up to a limit. */
  async catchUp(): Promise<void> {
    await this.sequencer.catchUp();
  }

  /**
   * Returns the id of the newest event in the feed. Events committed after the call get higher ids, and only
   * those.
   * @throws ServiceUnavailable if too many wait for their ids
   */
  async newestId(): Promise<Int64> {
    if (await this.sequencer.catchUp()) throw new ServiceUnavailable();
    const [feed] = await this.dataSource.query<{ id: Int64 }[]>('SELECT last_id AS id FROM event_feed');
    return feed?.id ?? 0;
  }

  private read(after: Int64, limit: number, type: string | undefined): Promise<Row[]> {
    return type === undefined
      ? this.dataSource.query(ALL, [after, limit])
      : this.dataSource.query(OF_TYPE, [after, limit, type]);
  }
}
