import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { days } from './duration.js';
import { PeriodicTasks, taskOutcomes } from './periodic-tasks.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('PeriodicTasks', () => {
  it('runs each task at its interval until stop()', async () => {
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

  it.each([days(30), 2 ** 31, 0.5, 0, -1, NaN, Infinity])(
    'refuses an interval that a timer takes as 1 ms: %d',
    (interval) => {
      const tasks = new PeriodicTasks(() => undefined);
      expect(() => tasks.add(interval, () => Promise.resolve(), 'refused')).toThrow(`not ${interval} ms`);
      expect(taskOutcomes()).not.toContainEqual(expect.objectContaining({ name: 'refused' }));
    },
  );

  it.each([1, 2 ** 31 - 1])('takes the interval %d', async (interval) => {
    let runs = 0;
    const tasks = new PeriodicTasks(() => undefined);
    tasks.add(interval, () => Promise.resolve(void (runs += 1)));
    await jest.advanceTimersByTimeAsync(interval - 1);
    expect(runs).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(runs).toBe(1);
    await tasks.stop();
  });

  it('does not start a task that is still running', async () => {
    let runs = 0;
    let end = (): void => undefined;
    const tasks = new PeriodicTasks(() => undefined);
    tasks.add(10, () => new Promise<void>((resolve) => ((runs += 1), (end = resolve))));
    await jest.advanceTimersByTimeAsync(50);
    expect(runs).toBe(1);
    end();
    await jest.advanceTimersByTimeAsync(10);
    expect(runs).toBe(2);
    const stopped = tasks.stop();
    end();
    await stopped;
  });

  it('continues after errors, and reports the first of consecutive ones', async () => {
    const results = [1, 2, 0, 3];
    const reported: unknown[] = [];
    const tasks = new PeriodicTasks((error) => reported.push(error));
    tasks.add(10, async () => {
      const result = results.shift();
      if (result) await Promise.reject(new Error(String(result)));
    });
    tasks.add(10, () => Promise.resolve()); // the success of another task must not reset the failures
    await jest.advanceTimersByTimeAsync(100);
    expect(reported).toEqual([new Error('1'), new Error('3')]);
    void tasks.stop();
  });

  describe('a task that keeps failing', () => {
    const HOUR = 60 * 60_000;
    let works: boolean;
    let reported: unknown[];
    let logged: jest.SpiedFunction<Logger['log']>;
    let tasks: PeriodicTasks;

    beforeEach(() => {
      [works, reported] = [false, []];
      logged = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
      tasks = new PeriodicTasks((error) => reported.push(error));
      const clearCrumbs = () => (works ? Promise.resolve() : Promise.reject(new Error('on purpose')));
      tasks.add(60_000, clearCrumbs);
      tasks.add(60_000, () => Promise.resolve(), 'another');
    });
    afterEach(() => tasks.stop());

    const outcomes = () => taskOutcomes().filter(({ name }) => /^(clearCrumbs|another)$/.test(name));

    it('is reported again each hour, and that it works again once', async () => {
      await jest.advanceTimersByTimeAsync(HOUR);
      expect(reported).toHaveLength(1);
      await jest.advanceTimersByTimeAsync(2 * HOUR);
      expect(reported).toHaveLength(3);
      expect(logged).not.toHaveBeenCalled();
      works = true;
      await jest.advanceTimersByTimeAsync(HOUR);
      expect(logged.mock.calls).toEqual([
        ['The task clearCrumbs works again; it had failed 180 times in 10800 s.'],
      ]);
      works = false;
      await jest.advanceTimersByTimeAsync(60_000);
      expect(reported).toHaveLength(4);
    });

    it('is counted by its name, with the time from its first to its last failure, until it stops', async () => {
      await jest.advanceTimersByTimeAsync(60_000);
      expect(outcomes()).toEqual([
        { name: 'clearCrumbs', failed: 1, failingFor: 0 },
        { name: 'another', failed: 0, failingFor: 0 },
      ]);
      await jest.advanceTimersByTimeAsync(9 * 60_000 + 59_999);
      expect(outcomes()).toMatchObject([{ failed: 10, failingFor: 9 * 60_000 }, { failed: 0 }]);
      works = true;
      await jest.advanceTimersByTimeAsync(60_000);
      expect(outcomes()).toMatchObject([{ failed: 10, failingFor: 0 }, { failed: 0 }]);
      await tasks.stop();
      expect(outcomes()).toEqual([]);
    });
  });

  it('begins a task on demand, unless it is running or stop() has been called', async () => {
    let runs = 0;
    let end = (): void => undefined;
    const tasks = new PeriodicTasks(() => undefined);
    const { begin } = tasks.onDemand(() => new Promise<void>((resolve) => ((runs += 1), (end = resolve))));
    await jest.advanceTimersByTimeAsync(100);
    expect(runs).toBe(0);
    begin();
    begin();
    expect(runs).toBe(1);
    end();
    await jest.advanceTimersByTimeAsync(0);
    begin();
    expect(runs).toBe(2);
    const stopped = tasks.stop();
    end();
    await stopped;
    begin();
    expect(runs).toBe(2);
  });

  describe('stopAfter()', () => {
    beforeEach(() => {
      jest.useRealTimers();
    });

    it('repeats the task until it succeeds', async () => {
      const results = [new Error('on purpose'), undefined];
      const tasks = new PeriodicTasks(() => undefined);
      const run = tasks.add(60_000, async () => {
        const error = results.shift();
        if (error) await Promise.reject(error);
      });
      expect(await tasks.stopAfter(run, 5_000)).toBe(true);
      expect(results).toEqual([]);
    });

    it.each([
      ['fails', () => Promise.reject(new Error('on purpose'))],
      ['does not end', () => new Promise<never>(() => undefined)],
    ])('gives up at its time limit if the task %s', async (_, task) => {
      const tasks = new PeriodicTasks(() => undefined);
      const run = tasks.add(60_000, task);
      expect(await tasks.stopAfter(run, 50)).toBe(false);
    });
  });
});
