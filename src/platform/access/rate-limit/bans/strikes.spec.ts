import fc from 'fast-check';
import { minutes, seconds } from '../../../kernel/clock/duration.js';
import { Strikes } from './strikes.js';

describe('the strikes of a key', () => {
  const windowEnd = minutes(60);

  it('are those of the last 60 s, regardless of window boundaries', () => {
    const strikes = new Strikes();
    strikes.add(0, windowEnd); // the first refusal
    let most = 0;
    strikes.add(seconds(2), windowEnd); // starts a minute
    for (let i = 0; i < 18; i++) most = strikes.add(seconds(61.5), windowEnd);
    for (let i = 0; i < 18; i++) most = strikes.add(seconds(62.1), windowEnd);
    expect(most).toBe(36);
  });

  it('expire after 60 s', () => {
    const strikes = new Strikes();
    strikes.add(0, windowEnd);
    expect(strikes.add(seconds(1), windowEnd)).toBe(1);
    expect(strikes.add(seconds(61) - 1, windowEnd)).toBe(2);
    expect(strikes.add(seconds(61), windowEnd)).toBe(2);
  });

  it('are the same as those counted from a list of all refusals', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 90_000 }), (pauses, length) => {
        const strikes = new Strikes();
        let now = 0;
        let end = -1;
        let first = 0;
        const all: number[] = [];
        for (const pause of pauses) {
          now += pause;
          if (now >= end) [first, end] = [now, now + length];
          if (now - first >= 1_000) all.push(now);
          const counted = strikes.add(now, now + length);
          expect(counted).toBe(all.filter((time) => now - time < 60_000).length);
        }
      }),
    );
  });
});
