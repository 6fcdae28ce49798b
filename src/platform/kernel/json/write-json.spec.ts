import fc from 'fast-check';
import { writeJson } from './write-json.js';

describe('writeJson', () => {
  it('writes what JSON.stringify writes', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => writeJson(value) === JSON.stringify(value)));
  });

  it('writes a 64-bit integer digit for digit, next to any other value', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.jsonValue(), (id, other) => {
        expect(writeJson({ id, other })).toBe(`{"id":${id},"other":${JSON.stringify(other)}}`);
      }),
    );
  });

  it('omits undefined properties and writes dates as text, also next to a 64-bit integer', () => {
    const value = { id: 1n, gone: undefined, at: new Date(0), none: null };
    expect(writeJson(value)).toBe('{"id":1,"at":"1970-01-01T00:00:00.000Z","none":null}');
  });
});
