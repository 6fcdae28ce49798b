import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { eventually } from '../../../../../test/support/eventually.js';
import { type Outcome, TestDailyUsage } from '../../../../../test/support/test-daily-usage.js';
import { TestClock } from '../../../../../test/support/test-clock.js';
import { days } from '../../../kernel/clock/duration.js';
import { UsageRecorder } from './usage-recorder.js';

describe('the recorded daily counts', () => {
  it('include each request exactly once, whether or not statements fail', async () => {
    const outcome = fc.constantFrom<Outcome>('runs', 'fails', 'lost', 'late');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ outcome, requests: fc.nat({ max: 20 }), thaw: fc.boolean() }), {
          maxLength: 12,
        }),
        async (steps) => {
          const usage = new TestDailyUsage();
          const clock = new TestClock();
          const recorder = new UsageRecorder(clock, usage);
          let total = 0;
          for (const { outcome: next, requests, thaw } of steps) {
            const day = Math.floor(clock.now() / days(1));
            for (let i = 0; i < requests; i++) recorder.add(i % 3, day);
            total += requests;
            usage.outcome = () => next;
            await recorder.write();
            if (thaw) usage.thaw();
            clock.advance(days(0.3));
          }
          usage.outcome = () => 'runs';
          await recorder.close();
          usage.thaw();
          expect(usage.total).toBe(total);
        },
      ),
    );
  });

  it('are recorded automatically, with one statement for all changed keys', async () => {
    const usage = new TestDailyUsage();
    const recorder = new UsageRecorder(new TestClock(), usage);
    for (let i = 0; i < 5_000; i++) recorder.add(i % 50, 20_000);
    await eventually(() => usage.total === 5_000);
    expect(usage.writes).toBe(1);
    await recorder.close();
    expect(usage.writes).toBe(1);
  });

  it('continue under a new writer when the clock returns to a day', async () => {
    const usage = new TestDailyUsage();
    const recorder = new UsageRecorder(new TestClock(), usage);
    for (const day of [20_000, 20_001, 20_000, 20_001, 20_000]) {
      recorder.add(1, day);
      await recorder.write();
    }
    expect(usage.counts).toEqual([3, 2]);
    await recorder.close();
  });

  it('that are lost because PostgreSQL does not respond are logged', async () => {
    const usage = new TestDailyUsage();
    const recorder = new UsageRecorder(new TestClock(), {
      record: () => new Promise(() => undefined),
      sumOfOthers: usage.sumOfOthers.bind(usage),
      merge: usage.merge.bind(usage),
    });
    recorder.add(1, 20_000);
    const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    await recorder.close();
    expect(error).toHaveBeenCalledWith('Shutting down without recording the latest daily counts.');
  });
});
