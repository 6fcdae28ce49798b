import { createHmac, randomBytes } from 'node:crypto';
import { PING } from '../webhook.events.js';
import type { DueDelivery } from './delivery-store.js';

/** The message to an endpoint: the event as it appears in the feed, and an id for detecting duplicates. */
interface Content {
  /** The same for every attempt and for every webhook that receives the event. */
  readonly id: string;
  /** JSON */
  readonly body: string;
}

/**
 * Returns `undefined` if the event has expired. The body is built as text, which preserves 64-bit integers.
 */
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

/** A secret in the form shown to its owner. */
export const secretText = (secret: Buffer): string => PREFIX + secret.toString('base64');

export const makeSecret = (): Buffer => randomBytes(BYTES);

/**
 * The headers of a message, according to https://www.standardwebhooks.com: one signature for each current
 * secret, so a receiver can switch to a new secret at any time during a rotation.
 * @param timestamp when the attempt was made, in Unix seconds
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
