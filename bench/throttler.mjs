// What the guard of the quotas costs a request, straight to the plan and by a visit of the throttlers (FAST_PATHS=off).
// Run: npm run bench:throttler
import 'reflect-metadata';
import { Reflector } from '@nestjs/core';
import { Clock } from '../dist/src/kernel/clock/clock.js';
import { Config } from '../dist/src/kernel/config/config.js';
import { PetsController } from '../dist/src/pets/pets.controller.js';
import { Bans } from '../dist/src/rate-limit/bans/bans.js';
import { MemoryThrottlerStorage } from '../dist/src/rate-limit/memory/memory-throttler.storage.js';
import { PlanThrottlerGuard } from '../dist/src/rate-limit/plan-throttler.guard.js';
import { MINUTE } from '../dist/src/rate-limit/plan-throttler.storage.js';
import { RateLimiter } from '../dist/src/rate-limit/rate-limiter.js';
import { RateLimitResponder } from '../dist/src/rate-limit/rate-limit.responder.js';

const REQUESTS = 200_000;
const ROUNDS = 9;

const clock = new Clock();
const principal = { kind: 'key', id: 1n, plan: 'enterprise', limits: { perMinute: 1e9 } };
const response = { setHeader: () => undefined };

async function guardWith(FAST_PATHS) {
  const config = new Config({ FAST_PATHS });
  const storage = new MemoryThrottlerStorage(clock, {}, config);
  const limiter = new RateLimiter(storage, new Bans({}, clock, config, {}), config);
  const responder = new RateLimitResponder({ decided: () => undefined });
  const options = { throttlers: [{ name: 'plan', ttl: MINUTE, limit: 1, blockDuration: 0 }], storage };
  const routes = { find: () => [] };
  const guard = new PlanThrottlerGuard(options, storage, new Reflector(), routes, limiter, responder, config);
  await guard.onModuleInit();
  return guard;
}

function newContext() {
  const request = { principal, method: 'GET', path: '/v1/pets', headers: {} };
  const http = { getRequest: () => request, getResponse: () => response };
  return {
    getClass: () => PetsController,
    getHandler: () => PetsController.prototype.list,
    switchToHttp: () => http,
  };
}

/** CPU microseconds of a request. */
async function cost(guard) {
  const begin = process.cpuUsage();
  for (let i = 0; i < REQUESTS; i++) await guard.canActivate(newContext());
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / REQUESTS;
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

const guards = { direct: await guardWith('on'), visit: await guardWith('off') };
const costs = { direct: [], visit: [] };
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, guard] of Object.entries(guards)) costs[name].push(await cost(guard));
}
for (const [name, values] of Object.entries(costs)) console.log(`${name}: ${median(values).toFixed(2)} us`);
