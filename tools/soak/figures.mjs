import { setTimeout as sleep } from 'node:timers/promises';

/** How much more there may be at the end than at the beginning. */
const ALLOWED = {
  descriptors: 15, // the pool of PostgreSQL, and the connection that asks
  timers: 20, // those of such connections
  heap: 15 * 2 ** 20, // caches of keys and addresses fill up to their caps
};
const PATTERNS = {
  descriptors: /^process_open_fds (\d+)/m,
  timers: /^nodejs_active_resources\{type="Timeout"\} (\d+)/m,
  heap: /^nodejs_heap_size_used_bytes (\d+)/m,
  resident: /^process_resident_memory_bytes (\d+)/m,
};

/** What each process holds, after its garbage was collected. */
export function measure(replicas) {
  return Promise.all(
    replicas.map(async (replica) => {
      process.kill(replica.pid, 'SIGUSR2');
      await sleep(1_100); // the text of /metrics is made once a second
      const text = await replica.metrics();
      return Object.fromEntries(
        Object.entries(PATTERNS).map(([name, pattern]) => [name, Number(pattern.exec(text)?.[1] ?? 0)]),
      );
    }),
  );
}

/** Measures until nothing is above what is allowed, or the time is up. */
export async function settle(replicas, before, seconds) {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const after = await measure(replicas);
    if (growth(before, after).length === 0 || performance.now() > end) return after;
    await sleep(2_000);
  }
}

/** What has grown, in words. */
export function growth(before, after) {
  return after.flatMap((figures, i) =>
    Object.entries(ALLOWED)
      .filter(([name, more]) => figures[name] > before[i][name] + more)
      .map(([name]) => `process ${i + 1}: ${name} from ${show(name, before[i])} to ${show(name, figures)}`),
  );
}

export function table(title, all) {
  return all.map(
    (figures, i) =>
      `${title}, process ${i + 1}: ` +
      Object.keys(PATTERNS)
        .map((name) => `${name} ${show(name, figures)}`)
        .join(', '),
  );
}

const show = (name, figures) =>
  name === 'heap' || name === 'resident' ? `${(figures[name] / 2 ** 20).toFixed(1)} MiB` : figures[name];
