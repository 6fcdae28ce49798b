import { expect } from 'expect';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { format } from 'node:util';

// The names that tests of a service use, on the runner of Node.js.

type Test = () => unknown;
type Each = <const Row>(
  rows: readonly Row[],
) => (
  name: string,
  test: (...row: Row extends readonly unknown[] ? Writable<Row> : [Row]) => unknown,
) => void;
type Writable<Row extends readonly unknown[]> = { -readonly [Index in keyof Row]: Row[Index] };
type Define = (name: string, test: Test, timeout?: number) => void;

const each =
  (define: Define): Each =>
  (rows) =>
  (name, test) => {
    for (const row of rows) {
      const values = (Array.isArray(row) ? row : [row]) as Parameters<typeof test>;
      const used = name.match(/%[sdijoO]/g)?.length ?? 0;
      define(format(name, ...values.slice(0, used)), () => test(...values));
    }
  };

const defineTest: Define = (name, test, timeout) => void it(name, { timeout }, () => test() as Promise<void>);
const defineSuite: Define = (name, suite) => void describe(name, () => suite() as Promise<void>);
const hook = (add: typeof before) => (run: Test, timeout?: number) => {
  add(() => run() as Promise<void>, { timeout });
};

export const GLOBALS = {
  describe: Object.assign(defineSuite, { each: each(defineSuite) }),
  it: Object.assign(defineTest, { each: each(defineTest) }),
  expect,
  beforeAll: hook(before),
  beforeEach: hook(beforeEach),
  afterAll: hook(after),
  afterEach: hook(afterEach),
};

Object.assign(globalThis, GLOBALS);
