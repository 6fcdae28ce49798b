// What a decision in memory costs: time, heap per key with a million keys, and the longest pause of the event loop when
// their day ends.
// Run: npm run bench:quotas
import 'reflect-metadata';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Config } from '../../dist/src/kernel/config/config.js';
import { RateLimitConfig } from '../../dist/src/rate-limit/rate-limit.config.js';
import { UsageRecorder } from '../../dist/src/rate-limit/daily-usage/usage-recorder.js';
import { MemoryThrottlerStorage } from '../../dist/src/rate-limit/memory/memory-throttler.storage.js';

const KEYS = 1_000_000;
const DECISIONS = 3_000_000;
const DAY = 86_400_000;

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');

/** A clock that the benchmark can move: durations are real, wall time is simulated. */
class BenchClock {
  wall = Date.UTC(2027, 0, 15, 12);
  skipped = 0;
  now = () => this.wall;
  elapsed = () => performance.now() + this.skipped;
  skip(milliseconds) {
    this.wall += milliseconds;
    this.skipped += milliseconds;
  }
}

/** Excludes the cost of PostgreSQL. */
const repository = { record: async () => {}, sumOfOthers: async () => [], merge: async () => {} };

const clock = new BenchClock();
const recorder = new UsageRecorder(clock, repository);
const storage = new MemoryThrottlerStorage(clock, recorder, new Config({}).read(RateLimitConfig));
const limits = { perMinute: 1e9, perDay: 1e9 };
const clients = Array.from({ length: KEYS }, (_, i) => ({ id: i + 1, limits }));

const heap = () => (gc(), gc(), process.memoryUsage().heapUsed);

const before = heap();
const delay = monitorEventLoopDelay({ resolution: 1 });
for (let i = 0; i < KEYS; i += 1000)
  await Promise.all(clients.slice(i, i + 1000).map((client) => storage.consume(client)));
await recorder.write();
const perKey = (heap() - before) / KEYS;

await recorder.write();
for (let i = 0; i < 200_000; i++) storage.consume(clients[i]);
const STRIDE = 7919; // far enough apart that no key is still in the processor's cache
/** The cost of reaching a key's record, which is subtracted because the benchmark causes it. */
const walk = process.cpuUsage();
for (let i = 0, at = 0, sum = 0; i < DECISIONS; i++, at = (at + STRIDE) % KEYS) sum += clients[at].id;
const walked = process.cpuUsage(walk);
const cpu = process.cpuUsage();
for (let i = 0, at = 0; i < DECISIONS; i++, at = (at + STRIDE) % KEYS) storage.consume(clients[at]);
const { user, system } = process.cpuUsage(cpu);
const coming = walked.user + walked.system;
const hot = process.cpuUsage();
for (let i = 0; i < DECISIONS; i++) storage.consume(clients[i % 1000]);
const hotCpu = process.cpuUsage(hot);

// Two days end: a million counters become yesterday's and are then dropped.
delay.enable();
const turn = async () => {
  for (let i = 0; i < 2_000; i++) {
    storage.peek({ id: `new ${i}`, limits: { perMinute: 10 } });
    storage.consume({ id: 'client', limits: { perMinute: 1e9 } });
    await new Promise((resolve) => setImmediate(resolve));
  }
};
await turn();
let longest = 0;
const timed = (work) => {
  const start = performance.now();
  work();
  longest = Math.max(longest, performance.now() - start);
};
for (let day = 0; day < 2; day++) {
  clock.skip(DAY);
  timed(() => void storage.consume(clients[day]));
  await turn();
  await recorder.write();
}
delay.disable();
const after = heap();

console.log(`node ${process.version}, ${KEYS.toLocaleString('en')} keys`);
console.log(
  `decision, a million keys in turn  ${((user + system - coming) / DECISIONS).toFixed(2)} µs CPU (and ${(coming / DECISIONS).toFixed(2)} to reach the key)`,
);
console.log(
  `decision, a thousand busy keys    ${((hotCpu.user + hotCpu.system) / DECISIONS).toFixed(2)} µs CPU`,
);
console.log(`heap per key                      ${perKey.toFixed(0)} bytes`);
console.log(
  `heap left after the day           ${((after - before) / 1e6).toFixed(1)} MB of ${((perKey * KEYS) / 1e6).toFixed(0)} MB`,
);
console.log(`longest call that ends a day      ${longest.toFixed(2)} ms`);
console.log(
  `longest event-loop pause then     ${(delay.max / 1e6).toFixed(1)} ms (garbage collector included)`,
);
process.exit(0);
