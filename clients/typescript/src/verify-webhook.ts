import { WebhookVerificationError } from './errors.js';
import { type IdKind, type IdTypes, readJson } from './exact-json.js';
import type { WebhookEvent } from './types.js';

/** The headers of a request, as Node.js gives them, or any `Headers`, such as those of `fetch`, undici or node-fetch. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions<Ids extends IdKind = 'bigint'> {
  /** How identifiers appear, `bigint` by default. */
  readonly ids?: Ids | undefined;
  /** How old a message may be, in seconds; 300 by default. */
  readonly tolerance?: number | undefined;
  /** Unix time in milliseconds, for tests. */
  readonly now?: (() => number) | undefined;
}

const encoder = new TextEncoder();

/**
 * Checks that the service has signed a message to a webhook (Standard Webhooks), and returns its event. A message may come
 * more than once, with the same `webhook-id`.
 * @param payload the body, exactly as received
 * @param secret `whsec_…`, from the response that created the webhook or rotated its secret; white space around it, such as the end of
 *   the line in a file, does not count
 * @throws WebhookVerificationError if a header is missing, the message is too old, or no signature is valid
 * @throws TypeError for a body that is missing or parsed already, and for a secret that is missing or is not one
 */
export async function verifyWebhook<Ids extends IdKind = 'bigint'>(
  payload: string | ArrayBuffer | ArrayBufferView,
  headers: WebhookHeaders,
  secret: string,
  { ids, tolerance = 300, now = Date.now }: VerifyOptions<Ids> = {},
): Promise<WebhookEvent<IdTypes[Ids]>> {
  const secretKey = keyOf(secret);
  const body = bytesOf(payload);
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (id === undefined || timestamp === undefined || signatures === undefined)
    throw invalid('A header is missing: webhook-id, webhook-timestamp or webhook-signature.');
  const age = Math.abs(now() / 1_000 - Number(timestamp));
  if (!(age <= tolerance)) throw invalid(`The message is not from the last ${tolerance} seconds.`);
  const signed = joined(encoder.encode(`${id}.${timestamp}.`), body);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secretKey, algorithm, false, ['verify']);
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : undefined;
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed)))
      return readJson(new TextDecoder().decode(body), ids) as WebhookEvent<IdTypes[Ids]>;
  }
  throw invalid(
    'No signature is valid. Check the secret of the webhook, and that the body is exactly as received.',
  );
}

const invalid = (message: string) => new WebhookVerificationError({ code: 'invalid_signature', message });

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (hasGet(headers)) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : found?.[0];
}

/** A header may be called `get`, but is no function. */
const hasGet = (headers: WebhookHeaders): headers is { get(name: string): string | null | undefined } =>
  typeof headers.get === 'function';

/** @throws TypeError, because what is signed are the bytes: of a body that is parsed already they are lost */
function bytesOf(payload: unknown): Uint8Array {
  if (typeof payload === 'string') return encoder.encode(payload);
  if (ArrayBuffer.isView(payload))
    return new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength);
  if (Object.prototype.toString.call(payload) === '[object ArrayBuffer]')
    return new Uint8Array(payload as ArrayBuffer); // of any realm
  const mistake =
    payload === undefined || payload === null ? 'There is none' : 'It seems to be parsed already';
  throw new TypeError(
    `The payload must be the body exactly as received, a text or bytes. ${mistake}. In Express, use express.raw({ type: 'application/json' }).`,
  );
}

const SECRET = /^\s*whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\s*$/;

/** @throws TypeError, because an invalid secret is a bug of the program */
function keyOf(secret: unknown): Uint8Array<ArrayBuffer> {
  const key = fromBase64((typeof secret === 'string' ? SECRET.exec(secret)?.[1] : undefined) ?? '');
  if (key?.length) return key;
  const mistake = secret === undefined || secret === null || secret === '' ? ' It is not set.' : '';
  throw new TypeError(`The secret must start with whsec_ and continue in base64.${mistake}`);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
