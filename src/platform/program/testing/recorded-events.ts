import type { TestService } from './test-service.js';

interface RecordedEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * The events recorded for resources, in order, including those not yet in the feed.
 * @param ids by the kind of resource, such as `order`
 */
export function recordedEvents(
  service: TestService,
  ids: Readonly<Record<string, number>>,
): Promise<RecordedEvent[]> {
  return service.query<RecordedEvent>(
    `SELECT type, data FROM (SELECT 1 AS part, * FROM events UNION ALL SELECT 2, * FROM event_outbox) recorded
     WHERE data ->> 'id' = $1::json ->> split_part(type, '.', 1) ORDER BY part, id`,
    [JSON.stringify(ids)],
  );
}
