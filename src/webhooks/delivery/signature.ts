import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const BYTES = 32; // the standard allows 24 to 64

/** The signed parts of a message, as in Standard Webhooks. */
export const secretText = (secret: Buffer): string => PREFIX + secret.toString('base64');

export const makeSecret = (): Buffer => randomBytes(BYTES);

interface Message {
  readonly id: string;
  /** Unix seconds of the attempt. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * The headers of a message, after https://www.standardwebhooks.com: one signature for each secret that is in use, so that a
 * receiver may change to a new one at any time during a rotation.
 */
export function signedHeaders({ id, timestamp, body }: Message, secrets: readonly Buffer[]) {
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
