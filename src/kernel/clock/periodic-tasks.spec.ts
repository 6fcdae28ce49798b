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
});
