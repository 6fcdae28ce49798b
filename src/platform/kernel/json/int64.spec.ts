import fc from 'fast-check';
import { isInt64, parseInt64 } from './int64.js';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

describe('parseInt64', () => {
  it('reads every signed 64-bit integer exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: MIN, max: MAX }), (value) => {
        const read = parseInt64(String(value));
        return isInt64(read) && BigInt(read) === value;
      }),
    );
  });

  it('returns equal values in the same form', () => {
    expect(parseInt64('9007199254740991')).toBe(9007199254740991);
    expect(parseInt64('9007199254740992')).toBe(9007199254740992n);
    expect(Object.is(parseInt64('-0'), 0)).toBe(true);
    expect(parseInt64('007')).toBe(7);
  });

  it.each([
    '',
    '-',
    '+1',
    ' 1',
    '1 ',
    '1.0',
    '1e1',
    '0x1',
    '١',
    '1_0',
    '1n',
    String(MAX + 1n),
    String(MIN - 1n),
  ])('rejects %j', (text) => {
    expect(parseInt64(text)).toBeUndefined();
  });

  it('rejects a million digits', () => {
    expect(parseInt64('9'.repeat(1_000_000))).toBeUndefined();
  });
});

describe('isInt64', () => {
  it.each([NaN, Infinity, 1.5, 2 ** 53, '7', null, undefined, [7], true])('is false for %p', (value) => {
    expect(isInt64(value)).toBe(false);
  });
});
