import { parseJson } from '../json/parse-json.js';
import { fingerprint } from './fingerprint.js';

const of = (json: string, method = 'POST', url = '/v1/pets') => fingerprint(method, url, parseJson(json));

describe('fingerprint', () => {
  it.each([
    ['{"a":1,"b":[1,{"c":null}]}', ' {"b" : [1, {"c":null}],\n"a":1}'],
    ['{"a":"\\u00e9"}', '{"a":"é"}'],
    ['{"a":0,"a":1}', '{"a":1}'],
    ['{"a":1}', '{"a":1.0}'],
  ])('is the same for %s and %s', (one, other) => {
    expect(of(one)).toBe(of(other));
  });

  it.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":9007199254740993}', '{"a":9007199254740992}'],
    ['{"a":[9007199254740993]}', '{"a":[9007199254740992]}'],
    ['{"a":{"b":9007199254740993}}', '{"a":{"b":9007199254740992}}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":[1]}', '{"a":{"0":1}}'],
    ['{"a":null}', '{}'],
    ['{"a":"b\\",\\"c\\":\\"d"}', '{"a":"b","c":"d"}'],
    ['{"__proto__":{"a":1}}', '{}'],
  ])('differs for %s and %s', (one, other) => {
    expect(of(one)).not.toBe(of(other));
  });

  it('differs by method and by URL', () => {
    expect(of('{}', 'PATCH')).not.toBe(of('{}'));
    expect(of('{}', 'POST', '/v1/orders')).not.toBe(of('{}'));
  });

  it('depends on the bytes of other bodies', () => {
    const ofBytes = (text: string) => fingerprint('POST', '/v1/pets', Buffer.from(text));
    expect(ofBytes('one')).toBe(ofBytes('one'));
    expect(ofBytes('one')).not.toBe(ofBytes('other'));
    expect(ofBytes('{}')).not.toBe(of('{}'));
  });

  it('is 64 hexadecimal digits, even without a body', () => {
    expect(fingerprint('POST', '/v1/pets', undefined)).toMatch(/^[0-9a-f]{64}$/);
  });
});
