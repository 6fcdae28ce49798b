import { jest } from '@jest/globals';
import { PeriodicTasks } from './periodic-tasks.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('PeriodicTasks', () => {
  it('run each task at its interval until they are stopped', async () => {
    const runs = { fast: 0, slow: 0 };
    const tasks = new PeriodicTasks(() => undefined);
    tasks.add(10, () => Promise.resolve(void (runs.fast += 1)));
    tasks.add(50, () => Promise.resolve(void (runs.slow += 1)));
    await jest.advanceTimersByTimeAsync(100);
    expect(runs).toEqual({ fast: 10, slow: 2 });
    void tasks.stop();
    await jest.advanceTimersByTimeAsync(100);
    expect(runs).toEqual({ fast: 10, slow: 2 });
  });

  it('do not start a task that is still running', async () => {
    let runs = 0;
    let end = (): void => undefined;
    const tasks = new PeriodicTasks(() => undefined);
    tasks.add(10, () => new Promise((resolve) => ((runs += 1), (end = resolve))));
    await jest.advanceTimersByTimeAsync(50);
    expect(runs).toBe(1);
    end();
    await jest.advanceTimersByTimeAsync(10);
    expect(runs).toBe(2);
    const stopped = tasks.stop();
    end();
    await stopped;
  });

  it('go on after a failure, and report the first of several in a row', async () => {
    const results = [1, 2, 0, 3];
    const reported: unknown[] = [];
    const tasks = new PeriodicTasks((error) => reported.push(error));
    tasks.add(10, async () => {
      const result = results.shift();
      if (result) await Promise.reject(new Error(String(result)));
    });
    tasks.add(10, () => Promise.resolve()); // its successes end no row of failures
    await jest.advanceTimersByTimeAsync(100);
    expect(reported).toEqual([new Error('1'), new Error('3')]);
    void tasks.stop();
  });

  describe('that look for work', () => {
    let looks: number[];
    let found: boolean | Error;
    let tasks: PeriodicTasks;
    let pollSoon: () => void;
    let now: number;

    beforeEach(() => {
      looks = [];
      found = false;
      now = 0;
      tasks = new PeriodicTasks(() => undefined);
      pollSoon = tasks.addPoll(10, async () => {
        looks.push(now);
        if (found instanceof Error) throw found;
        await Promise.resolve();
        return found;
      });
    });
    afterEach(() => tasks.stop());

    const pass = async (time: number): Promise<number[]> => {
      looks = [];
      for (const end = now + time; now < end;) {
        now += 10;
        await jest.advanceTimersByTimeAsync(10);
      }
      return looks;
    };

    it('do so at each interval while there is some, and at every fifth while there is none', async () => {
      expect(await pass(120)).toEqual([10, 60, 110]);
      found = true;
      expect(await pass(70)).toEqual([160, 170, 180, 190]);
      found = false;
      expect(await pass(60)).toEqual([200, 250]);
    });

    it('do so at the next interval when they are told to, also while they look', async () => {
      await pass(20);
      pollSoon();
      expect(await pass(20)).toEqual([30]);
      expect(await pass(30)).toEqual([]);
      jest.advanceTimersByTime(10); // begins a look, and does not wait for its end
      pollSoon();
      expect(await pass(20)).toEqual([80]);
    });

    it('do so at the next interval after a failure', async () => {
      found = new Error('on purpose');
      expect(await pass(30)).toEqual([10, 20, 30]);
    });
  });
});
