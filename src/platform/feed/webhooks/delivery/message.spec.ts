import { Webhook } from 'standardwebhooks';
import { makeSecret, secretText, signedHeaders } from './message.js';

describe('signedHeaders', () => {
  const body = '{"type":"pet.created","data":{"name":"Zoë"}}';
  const message = { id: '42', body };
  const timestamp = Math.floor(Date.now() / 1000);

  it('are accepted by the reference library', () => {
    const secret = makeSecret();
    const verified = new Webhook(secretText(secret)).verify(
      body,
      signedHeaders(message, timestamp, [secret]),
    );
    expect(verified).toEqual(JSON.parse(body));
  });

  it('can be verified with either secret during a rotation, and with no other', () => {
    const [previous, current] = [makeSecret(), makeSecret()];
    const headers = signedHeaders(message, timestamp, [current, previous]);
    for (const secret of [previous, current]) {
      expect(() => new Webhook(secretText(secret)).verify(body, headers)).not.toThrow();
    }
    expect(() => new Webhook(secretText(makeSecret())).verify(body, headers)).toThrow('signature');
  });

  it('do not match another body, id or time', () => {
    const secret = makeSecret();
    const headers = signedHeaders(message, timestamp, [secret]);
    const verify = (text: string, changed: object) =>
      new Webhook(secretText(secret)).verify(text, { ...headers, ...changed });
    expect(() => verify(`${body} `, {})).toThrow();
    expect(() => verify(body, { 'webhook-id': '43' })).toThrow();
    expect(() => verify(body, { 'webhook-timestamp': String(timestamp + 1) })).toThrow();
  });
});
