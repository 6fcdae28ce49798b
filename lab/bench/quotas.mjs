// What a decision in memory costs: time, and heap per key with a million keys.
// Run: node lab/bench/quotas.mjs
import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Config } from '../../dist/src/platform/kernel/config/config.js';
import { RateLimitConfig } from '../../dist/src/platform/access/rate-limit/rate-limit.config.js';
import { UsageRecorder } from '../../dist/src/platform/access/rate-limit/daily-usage/usage-recorder.js';
import { MemoryThrottlerStorage } from '../../dist/src/platform/access/rate-limit/memory/memory-throttler.storage.js';

const KEYS = 1_000_000;
const DECISIONS = 3_000_000;
const STRIDE = 7919; // far enough apart that no key is still in the processor's cache

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');
const heap = () => (gc(), gc(), process.memoryUsage().heapUsed);

const clock = { now: () => Date.now(), elapsed: () => performance.now() };
const repository = { record: async () => {}, sumOfOthers: async () => [], merge: async () => {} };
const recorder = new UsageRecorder(clock, repository);
const storage = new MemoryThrottlerStorage(clock, recorder, new Config({}).read(RateLimitConfig));
const keys = Array.from({ length: KEYS }, (_, i) => String(i + 1));
const count = async (id) => storage.charge({ kind: 'key', id, ttl: 60_000, limit: 1e9, perDay: 1e9 });

const before = heap();
for (let i = 0; i < KEYS; i += 1000) await Promise.all(keys.slice(i, i + 1000).map(count));
await recorder.write();
const perKey = (heap() - before) / KEYS;

/** CPU microseconds per decision. */
async function cost(keyOf) {
  const start = process.cpuUsage();
  for (let i = 0; i < DECISIONS; i++) await count(keyOf(i));
  const { user, system } = process.cpuUsage(start);
  return ((user + system) / DECISIONS).toFixed(2);
}

console.log(`node ${process.version}, ${KEYS.toLocaleString('en')} keys`);
console.log(`decision, a million keys in turn  ${await cost((i) => keys[(i * STRIDE) % KEYS])} µs CPU`);
console.log(`decision, a thousand busy keys    ${await cost((i) => keys[i % 1000])} µs CPU`);
console.log(`heap per key                      ${perKey.toFixed(0)} bytes`);
process.exit(0);
