import { setTimeout } from 'node:timers/promises';
import { inspect, isDeepStrictEqual } from 'node:util';
import { seconds } from '../../kernel/clock/duration.js';

const ASK_AGAIN = 25; // milliseconds

/** Ends a hanging test. It is long because a busy machine is not a failure. */
const PATIENCE = seconds(120);

/**
 * Waits until a condition holds, such as one that depends on another process.
 * @param patience milliseconds, if the time itself is promised
 * @param seen returns what the failure message shows
 */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  patience = PATIENCE,
  seen?: () => unknown,
): Promise<void> {
  await wait(holds, patience, () => `${holds.toString()}${seen ? `; last: ${inspect(seen())}` : ''}`);
}

/** Waits until the value read equals the expected one. A failure shows the last value read. */
export async function becomes<T>(read: () => T | Promise<T>, value: T, patience = PATIENCE): Promise<void> {
  let last: T | undefined;
  const isThere = async () => isDeepStrictEqual((last = await read()), value);
  await wait(isThere, patience, () => `${read.toString()} is ${inspect(value)}; last: ${inspect(last)}`);
}

async function wait(
  holds: () => boolean | Promise<boolean>,
  patience: number,
  awaited: () => string,
): Promise<void> {
  const end = performance.now() + patience;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Not within ${patience} ms: ${awaited()}`);
    await setTimeout(ASK_AGAIN);
  }
}
