import asyncHooks from 'node:async_hooks';
import { existsSync, readFileSync } from 'node:fs';
import * as module from 'node:module';
import { pathToFileURL } from 'node:url';
import runSuite from 'jest-circus/runner';
import { sourceMapOf } from './compiled.mjs';
import * as hooks from './hooks.mjs';

const require = module.createRequire(import.meta.url);
const IS_NODE_20 = process.versions.node.startsWith('20.');
const CIRCUS = /[\\/]jest-circus[\\/]/;
const STAT = '/proc/self/stat';
const STATE = ['JEST_STATE_SYMBOL', 'EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL'];

/** These load most of the modules that are not the service's own. Another service may have removed one. */
const PACKAGES = [
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/swagger',
  '@nestjs/terminus',
  '@nestjs/testing',
  'class-validator',
  'supertest',
  'typeorm',
];

// Node.js 20 runs hooks in a separate thread, where each module takes longer: what needs none is loaded before, one after another.
if (module.registerHooks) module.registerHooks(hooks);
else {
  await import('reflect-metadata');
  for (const name of PACKAGES) await import(name).catch(() => undefined);
  module.register('./hooks.mjs', import.meta.url);
}

/**
 * Runs a suite with jest-circus, like Jest, but loads modules through Node.js. Shared modules are loaded once per
 * worker rather than in a virtual machine per suite.
 */
export default async function runNatively(globalConfig, config, environment, runtime, path, send) {
  const before = cpuSeconds();
  forgetLastSuite();
  const { jest } = runtime.requireModuleOrMock(path, '@jest/globals');
  globalThis.petstoreSuite = { jest };
  globalThis.jest = jest; // as in Jest
  runtime.getSourceMaps().get = sourceMapOf;
  const native = {
    requireInternalModule: IS_NODE_20 ? requireCircus : require,
    unstable_shouldLoadAsEsm: () => true,
    async unstable_importModule(file) {
      const { default: setUp } = await import(pathToFileURL(file).href);
      await setUp?.();
      module.flushCompileCache?.(); // the worker may be replaced, which kills it with a signal
    },
  };
  const result = await runSuite.default(
    globalConfig,
    config,
    environment,
    Object.assign(Object.create(runtime), native),
    path,
    send,
  );
  return { ...environment.serviceLog.explain(result), cpuSeconds: cpuSeconds() - before };
}

/** What this process has used, with the programs that it has run and that have ended, as far as /proc says so. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  const fields = existsSync(STAT) ? readFileSync(STAT, 'utf8').split(') ').at(-1).split(' ') : [];
  const programs = Number(fields[13] ?? 0) + Number(fields[14] ?? 0); // cutime and cstime
  return (user + system) / 1_000_000 + programs / 100;
}

/**
 * Gives jest-circus a plain variable instead of its `AsyncLocalStorage`. Node.js 20 carries each one that was ever used, so one of
 * each suite, through every promise of the worker: 40 s of the 340 s of CPU that all suites took. From 24 on it costs nothing.
 */
function requireCircus(name) {
  const { AsyncLocalStorage } = asyncHooks;
  asyncHooks.AsyncLocalStorage = Variable;
  try {
    return require(name);
  } finally {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }
}

/** What `AsyncLocalStorage` does for tests that run one after another. */
class Variable {
  #value;

  getStore() {
    return this.#value;
  }

  async run(value, work) {
    const before = this.#value;
    this.#value = value;
    try {
      return await work();
    } finally {
      this.#value = before;
    }
  }
}

/** jest-circus keeps the state of a suite in its modules and, by symbols, in the realm. */
function forgetLastSuite() {
  for (const name of Object.keys(require.cache).filter((name) => CIRCUS.test(name)))
    delete require.cache[name];
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
    if (STATE.includes(symbol.description)) delete globalThis[symbol];
  }
}
