import { setTimeout } from 'node:timers/promises';

const ASK_AGAIN = 10; // milliseconds

/** Waits until a condition holds, for things that another process does in its own time. */
export async function eventually(holds: () => boolean | Promise<boolean>, patience = 5_000): Promise<void> {
  const end = performance.now() + patience;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Not within ${patience} ms: ${holds.toString()}`);
    await setTimeout(ASK_AGAIN);
  }
}
