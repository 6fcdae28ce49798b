import type { Listing } from '../listing.js';
import type { Query } from '../operations.js';
import type { RequestOptions, Transport } from '../transport.js';
import type { StoreEvent } from '../types.js';

export type EventQuery<Id = bigint> = Query<'listEvents', Id>;

/** What has changed. */
export class Events<Id = bigint> {
  constructor(private readonly transport: Transport<Id>) {}

  /**
   * Every event of the last 30 days exactly once, oldest first. The feed has no last page, so the list ends at an empty one. To go on
   * later, read `pages()`, keep the last `nextCursor`, and give it as `cursor`. The single, empty page of `since: 'now'` has the cursor
   * of what comes later.
   * @throws GoneError if events after the cursor have expired
   */
  list(query: EventQuery<Id> = {}, options?: RequestOptions): Listing<StoreEvent<Id>> {
    const events = this.transport.list('listEvents', query, options) as Listing<unknown>; // each type has a schema of its own
    return events.untilEmpty() as Listing<StoreEvent<Id>>;
  }
}
