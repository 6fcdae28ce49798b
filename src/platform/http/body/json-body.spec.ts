import { cpuTime } from '../../../../test/support/cpu-time.js';
import { isJson, isUtf8 } from './json-body.js';

const isJsonMediaType = (type: string) => isJson(type) && isUtf8(type);

describe('the media type of JSON', () => {
  it.each([
    'application/json',
    'Application/JSON;Charset="UTF-8"',
    'application/json ;charset=utf-8;',
    'application/json;v=1',
  ])('accepts %s', (type) => {
    expect(isJsonMediaType(type)).toBe(true);
  });

  it.each([
    '',
    'json',
    'application/json5',
    'application/json;charset=utf-16',
    'application/json;charset',
    'application/json,text/plain',
  ])('rejects %j', (type) => {
    expect(isJsonMediaType(type)).toBe(false);
  });

  it('is checked in linear time', async () => {
    const { took } = await cpuTime(() => {
      expect(isJsonMediaType(`application/json${' '.repeat(1_000_000)}x`)).toBe(false);
    });
    expect(took).toBeLessThan(1_000); // in quadratic time: minutes
  });
});
