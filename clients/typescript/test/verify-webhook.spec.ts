import { createHmac } from 'node:crypto';
import { verifyWebhook, WebhookVerificationError } from '../src/index.js';

const KEY = Buffer.from('0123456789abcdef0123456789abcdef');
const SECRET = `whsec_${KEY.toString('base64')}`;
const NOW = Date.UTC(2026, 10, 20, 9, 30);
const BODY =
  '{"id":9007199254740993,"type":"pet.created","version":1,"occurredAt":"2026-11-20T09:30:00.000Z",' +
  '"data":{"id":42,"name":"Zoë","categoryId":7,"status":"available"}}';

const sign = (id: string, timestamp: number, body: string, key = KEY) =>
  `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;

function headersOf(body = BODY, { age = 0, key = KEY } = {}) {
  const timestamp = NOW / 1_000 - age;
  return {
    'webhook-id': '4711',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign('4711', timestamp, body, key),
  };
}

const verify = (
  body: Parameters<typeof verifyWebhook>[0],
  headers: Parameters<typeof verifyWebhook>[1],
  secret = SECRET,
) => verifyWebhook(body, headers, secret, { now: () => NOW });

describe('verifyWebhook', () => {
  it('returns the event, whose type tells what its data is', async () => {
    const event = await verify(BODY, headersOf());
    expect(event.id).toBe(9_007_199_254_740_993n);
    if (event.type !== 'pet.created') throw new Error('another type');
    const { name, categoryId }: { name: string; categoryId: bigint } = event.data; // compiles: the union is discriminated
    expect([name, categoryId]).toEqual(['Zoë', 7n]);
  });

  it('takes bytes, the headers of fetch, names in any case and identifiers as strings', async () => {
    expect(await verify(Buffer.from(BODY), new Headers(headersOf()))).toMatchObject({ type: 'pet.created' });
    const upper = Object.fromEntries(
      Object.entries(headersOf()).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    const event = await verifyWebhook(BODY, upper, SECRET, { ids: 'string', now: () => NOW });
    const id: string = event.id;
    expect(id).toBe('9007199254740993');
  });

  it('takes the headers of any library, and bytes of any kind', async () => {
    class ForeignHeaders {
      readonly #headers = new Headers(headersOf());
      get(name: string): string | null {
        return this.#headers.get(name);
      }
    }
    const bytes = new TextEncoder().encode(`..${BODY}..`);
    const { buffer } = new TextEncoder().encode(BODY);
    const payloads = [
      BODY,
      buffer,
      structuredClone(buffer),
      new DataView(bytes.buffer, 2, bytes.length - 4),
      bytes.subarray(2, -2),
      Buffer.from(BODY),
    ];
    for (const payload of payloads)
      expect(await verify(payload, new ForeignHeaders())).toMatchObject({ type: 'pet.created' });
    expect(await verify(BODY, { ...headersOf(), get: 'x' })).toMatchObject({ type: 'pet.created' });
  });

  it.each([JSON.parse(BODY), [], 5, true])(
    'names a body that is parsed already as the mistake: %p',
    async (payload) => {
      await expect(verify(payload, headersOf())).rejects.toThrow(
        /^The payload must be the body exactly as received, a text or bytes\. It seems to be parsed already\./,
      );
    },
  );

  it.each([null, undefined])('names a body that is not there as the mistake: %p', async (payload) => {
    const verified = verify(payload as unknown as string, headersOf());
    await expect(verified).rejects.toThrow(/^The payload must be .* bytes\. There is none\. In Express, use/);
    await expect(verified).rejects.toThrow(TypeError);
  });

  it('takes either signature after a rotation', async () => {
    const headers = headersOf();
    headers['webhook-signature'] = `v1,AAAA v2,x not-base64 ${headers['webhook-signature']}`;
    await verify(BODY, headers);
  });

  it.each([
    ['another body', () => verify(`${BODY} `, headersOf())],
    ['another key', () => verify(BODY, headersOf(BODY, { key: Buffer.alloc(32) }))],
    ['an old message', () => verify(BODY, headersOf(BODY, { age: 301 }))],
    ['a message from the future', () => verify(BODY, headersOf(BODY, { age: -301 }))],
    ['a missing header', () => verify(BODY, { ...headersOf(), 'webhook-id': undefined })],
    ['a timestamp that is not one', () => verify(BODY, { ...headersOf(), 'webhook-timestamp': 'x' })],
    ['a signature that is not base64', () => verify(BODY, { ...headersOf(), 'webhook-signature': 'v1,%' })],
    ['a lone surrogate', () => verify(BODY, { ...headersOf(), 'webhook-id': '4711\ud800' })],
  ])('refuses %s', async (_, attempt) => {
    await expect(attempt()).rejects.toThrow(WebhookVerificationError);
  });

  it.each([
    'petstore_x',
    'whsec_',
    'whsec_%',
    'whsec_YQ',
    'whsec_YWJj=',
    'whsec_YQ== YQ==',
    'whsec_YQ==YQ==',
    'WHSEC_YQ==',
  ])('says that a secret is not one: %j', async (secret) => {
    const error = new TypeError('The secret must start with whsec_ and continue in base64.');
    await expect(verify(BODY, headersOf(), secret)).rejects.toEqual(error);
  });

  it.each([undefined, null, ''])('says that a secret is not set: %j', async (secret) => {
    const verified = verifyWebhook(BODY, {}, secret as unknown as string); // before it looks at the message
    await expect(verified).rejects.toEqual(
      new TypeError('The secret must start with whsec_ and continue in base64. It is not set.'),
    );
  });

  it.each([`${SECRET}\n`, `${SECRET}\r\n`, ` ${SECRET}\t`])(
    'takes a secret from a file: %j',
    async (secret) => {
      expect(await verify(BODY, headersOf(), secret)).toMatchObject({ type: 'pet.created' });
    },
  );
});
