import type { DueDelivery } from './delivery-store.js';

import { PING } from '../webhook.events.js';

/** The message to an endpoint: the event as in the feed, and the id by which the endpoint recognises duplicates. */
interface Content {
  /** The same for every attempt, and for every webhook that is told of the event. */
  readonly id: string;
  /** JSON */
  readonly body: string;
}

/** `undefined` for an event that has been cleared. Written as text, which keeps 64-bit integers as they are. */
export function contentOf(delivery: DueDelivery): Content | undefined {
  const { id, type, eventId, version, occurredAt, data, createdAt, webhookId } = delivery;
  const body = (eventNumber: string, versionNumber: number, at: Date, text: string): string =>
    `{"id":${eventNumber},"type":"${type}","version":${versionNumber},"occurredAt":"${at.toISOString()}","data":${text}}`;
  if (eventId === null)
    return { id: `ping-${id}`, body: body(id, PING.version, createdAt, `{"webhookId":${webhookId}}`) };
  if (version === null || occurredAt === null || data === null) return undefined;
  return { id: eventId, body: body(eventId, version, occurredAt, data) };
}
