import { clockOffset } from './clock-offset.js';

describe('the offset of a clock', () => {
  it.each([
    ['is none if both agree', [1_000, 1_000, 1_000], 0],
    ['is none if the request took long enough to explain the difference', [1_000, 3_500, 4_000], 0],
    ['is positive if this clock is ahead', [91_000, 1_000, 91_500], 90_000],
    ['is negative if it is behind', [1_000, 91_500, 1_500], -90_000],
  ] as const)('%s', (_, [asked, theirs, answered], offset) => {
    expect(clockOffset(asked, theirs, answered)).toBe(offset);
  });
});
