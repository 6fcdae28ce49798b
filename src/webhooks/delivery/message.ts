import type { DueDelivery } from './delivery-store.js';

export const PING = 'webhook.ping';

/** The message to an endpoint: the event as in the feed, and the id by which the endpoint recognises duplicates. */
interface Content {
  /** The same for every attempt, and for every webhook that is told of the event. */
  readonly id: string;
  /** JSON */
  readonly body: string;
}

/** `undefined` for an event that has been cleared. */
export function contentOf(delivery: DueDelivery, webhookId: string): Content | undefined {
  const { id, type, eventId, version, occurredAt, data, createdAt } = delivery;
  if (eventId === null) {
    const ping = { id: 0, type, version: 1, occurredAt: createdAt, data: { webhookId: Number(webhookId) } };
    return { id: `ping-${id}`, body: JSON.stringify(ping) };
  }
  if (version === null || occurredAt === null || data === null) return undefined;
  // As text, which keeps 64-bit integers as they are.
  const head = `"id":${eventId},"type":"${type}","version":${version},"occurredAt":"${occurredAt.toISOString()}"`;
  return { id: eventId, body: `{${head},"data":${data}}` };
}
