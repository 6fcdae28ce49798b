import { jest } from '@jest/globals';
import { PeriodicTasks } from './periodic-tasks.js';

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
