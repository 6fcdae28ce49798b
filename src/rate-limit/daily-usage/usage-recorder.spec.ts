import fc from 'fast-check';
import { type Outcome, TestDailyUsage } from '../../../test/support/test-daily-usage.js';
import { TestClock } from '../../../test/support/test-clock.js';
import { days } from '../../kernel/clock/duration.js';
import { DailyUsageWriter } from './daily-usage.writer.js';
import { UsageRecorder } from './usage-recorder.js';

describe('the history of usage', () => {
  it('has each request once, whatever becomes of the statements', async () => {
    const outcome = fc.constantFrom<Outcome>('runs', 'fails', 'lost', 'late');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ outcome, requests: fc.nat({ max: 20 }), thaw: fc.boolean() }), {
          maxLength: 12,
        }),
        async (steps) => {
          const usage = new TestDailyUsage();
          const clock = new TestClock();
          const recorder = new UsageRecorder(clock, new DailyUsageWriter(usage));
          let total = 0;
          for (const { outcome: next, requests, thaw } of steps) {
            for (let i = 0; i < requests; i++) recorder.note(i % 3);
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
});
