import { hours, minutes, seconds } from '../../../kernel/clock/duration.js';
import { waitAfter } from './retry-schedule.js';

describe('waitAfter', () => {
  it('is 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and then there is no further attempt', () => {
    const waits = Array.from({ length: 10 }, (_, i) => waitAfter(i + 1, 0));
    expect(waits).toEqual([
      ...[
        seconds(5),
        minutes(5),
        minutes(30),
        hours(2),
        hours(5),
        hours(10),
        hours(14),
        hours(20),
        hours(24),
      ],
      undefined,
    ]);
  });

  it('adds up to 10 % of jitter', () => {
    expect(waitAfter(1, 1)).toBe(5_500);
    expect(waitAfter(1)).toBeGreaterThanOrEqual(5_000);
  });
});
