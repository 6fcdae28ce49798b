import { setTimeout as sleep } from 'node:timers/promises';

/** Allowed growth between start and end. */
const ALLOWED = {
  descriptors: 15, // PostgreSQL's pool, and the measuring connection
  timers: 20, // those of such connections
  heap: 15 * 2 ** 20, // caches of keys and addresses fill up to their limits
};
const PATTERNS = {
  descriptors: /^process_open_fds (\d+)/m,
  timers: /^nodejs_active_resources\{type="Timeout"\} (\d+)/m,
  heap: /^nodejs_heap_size_used_bytes (\d+)/m,
  resident: /^process_resident_memory_bytes (\d+)/m,
};

/** Measures each process's resources after collecting its garbage. */
export function measure(replicas) {
  return Promise.all(
    replicas.map(async (replica) => {
      process.kill(replica.pid, 'SIGUSR2');
      await sleep(1_100); // /metrics is rendered once a second
      const text = await replica.metrics();
      return Object.fromEntries(
        Object.entries(PATTERNS).map(([name, pattern]) => [name, Number(pattern.exec(text)?.[1] ?? 0)]),
      );
    }),
  );
}

/** Measures until everything is within the allowed growth, or time runs out. */
export async function settle(replicas, before, seconds) {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const after = await measure(replicas);
    if (growth(before, after).length === 0 || performance.now() > end) return after;
    await sleep(2_000);
  }
}

/** Describes what has grown. */
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
