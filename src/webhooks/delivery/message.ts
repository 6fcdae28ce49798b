import { createHmac, randomBytes } from 'node:crypto';
import { PING } from '../webhook.events.js';
import type { DueDelivery } from './delivery-store.js';

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

const PREFIX = 'whsec_';
const BYTES = 32; // the standard allows 24 to 64

/** A secret as its owner sees it. */
export const secretText = (secret: Buffer): string => PREFIX + secret.toString('base64');

export const makeSecret = (): Buffer => randomBytes(BYTES);

/**
 * The headers of a message, after https://www.standardwebhooks.com: one signature for each secret that is in use, so that a
 * receiver may change to a new one at any time during a rotation.
 * @param timestamp Unix seconds of the attempt
 */
export function signedHeaders({ id, body }: Content, timestamp: number, secrets: readonly Buffer[]) {
  const content = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
