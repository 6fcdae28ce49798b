import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { ServiceLog } from './service-log.mjs';

/** Runs all suites in the worker's own realm. Whatever a suite changes in it is restored at the end. */
export default class NativeEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  serviceLog = new ServiceLog();

  #env = { ...process.env };
  #exit = process.exit;
  #console = console;
  #setInterval = setInterval;
  #intervals = new Set();

  constructor({ projectConfig: config }) {
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  async setup() {
    // Jest sets it in its workers on a terminal. The programs that a test starts and reads would color their output.
    delete process.env.FORCE_COLOR;
    globalThis.setInterval = (...args) => {
      const interval = this.#setInterval.call(globalThis, ...args);
      this.#intervals.add(interval);
      return interval;
    };
  }

  async handleTestEvent({ name, test }) {
    if (name === 'test_done') await this.serviceLog.endOfTest(test);
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    globalThis.setInterval = this.#setInterval;
    // A task that a suite has left behind would otherwise act, and log, in the next one.
    for (const interval of this.#intervals) clearInterval(interval);
    globalThis.console = this.#console;
    process.exit = this.#exit;
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}
