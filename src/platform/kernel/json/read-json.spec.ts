import fc from 'fast-check';
import { parseInt64 } from './int64.js';
import { readJson } from './parse-json.js';
import { writeJson } from './write-json.js';

describe('readJson', () => {
  it('reads what writeJson writes', () => {
    const int64 = fc
      .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
      .map((value) => parseInt64(String(value)));
    const value = fc.oneof(int64, fc.string(), fc.boolean(), fc.constant(null), fc.integer());
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.oneof(value, fc.array(value))),
        (record) => {
          expect(readJson(writeJson(record))).toEqual({ ...record });
        },
      ),
    );
  });

  it('reads fractions next to 64-bit integers', () => {
    expect(readJson('{"a":1.5,"b":9007199254740993}')).toEqual({ a: 1.5, b: 9007199254740993n });
  });
});
