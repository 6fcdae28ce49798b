import type { Listing } from '../listing.js';
import type { Query } from '../operations.js';
import type { RequestOptions, Transport } from '../transport.js';
import type { StoreEvent } from '../types.js';

export type EventQuery = Query<'listEvents'>;

/** What has changed. */
export class Events {
  constructor(private readonly transport: Transport) {}

  /**
   * Every event of the last 30 days once, oldest first, up to the newest. To go on later, read `pages()`, keep the last
   * `nextCursor`, and give it as `cursor`.
   * @throws GoneError if the events behind the cursor have been cleared
   */
  list(query: EventQuery = {}, options?: RequestOptions): Listing<StoreEvent> {
    return this.transport.list('listEvents', query, options).untilEmpty();
  }
}
