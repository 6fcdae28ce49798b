import type { Petstore } from './petstore.js';

/** Empties the feed as if nothing had been recorded. It takes the lock of the feed first, as the service's own task does. */
export async function emptyFeed(petstore: Petstore): Promise<void> {
  await petstore.query(
    `SELECT FROM event_feed FOR UPDATE;
     TRUNCATE items, event_outbox, events RESTART IDENTITY CASCADE;
     UPDATE event_feed SET last_id = 0, cleared_to = 0`,
  );
}
