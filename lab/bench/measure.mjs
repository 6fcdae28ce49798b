import { setTimeout as sleep } from 'node:timers/promises';
import {
  clusterCpu,
  machineCpu,
  ownCpu,
  processCpu,
  readsAndWrites,
  residentMegabytes,
  threadsCpu,
} from './cpu.mjs';
import { load, probe } from './load.mjs';

/** Long enough to include whatever a server does every few seconds. */
const IDLE_SECONDS = 10;
const COUNTING_SECONDS = 1;
/** A load that is not counted, before the one that is: after a pause, code for what happens only then is compiled. */
const RUN_UP_SECONDS = 1;

/** Sends at least so many requests: a time would warm up a slow server, or one on a slow host, less than others. */
export async function warmUp(server, target, requests) {
  await withLastWords(server, async () => {
    await probe(target);
    for (let sent = 0; sent < requests;) sent += (await load({ ...target, seconds: 1 })).responses;
  });
}

/** Sets what each server costs while nobody asks it: CPU microseconds a second. */
export async function measureIdle(servers, signal) {
  const before = servers.map(({ pid }) => threadsCpu(pid));
  const began = performance.now();
  await sleep(IDLE_SECONDS * 1000, undefined, { signal });
  const seconds = (performance.now() - began) / 1000;
  servers.forEach((server, i) => {
    const { main, others } = threadsCpu(server.pid);
    server.idle = { main: (main - before[i].main) / seconds, others: (others - before[i].others) / seconds };
  });
}

/**
 * Takes one sample of a work: per response, the CPU microseconds of the server beyond those of its idleness, of PostgreSQL and of
 * Redis; then, under a load of its own, what else the server spends. Also its memory, the rate and the median response time.
 */
export const measure = (server, target, means) =>
  withLastWords(server, async () => {
    await probe(target);
    await load({ ...target, seconds: RUN_UP_SECONDS });
    return { ...(await measureCpu(server, target, means)), ...(await count(server, target)) };
  });

async function measureCpu(server, target, { postmaster, redis, seconds }) {
  const read = () => ({
    ...threadsCpu(server.pid),
    database: clusterCpu(postmaster),
    redis: redis ? processCpu(redis.pid()) : 0,
    loader: ownCpu(),
    machine: machineCpu(),
    time: performance.now() / 1000,
  });
  const before = read();
  const { responses, perSecond, p50 } = await load({ ...target, seconds });
  const after = read();
  const spent = (account) => after[account] - before[account];
  const beyondIdle = (thread) => Math.max(0, spent(thread) - server.idle[thread] * spent('time')) / responses;
  const known = ['main', 'others', 'database', 'redis', 'loader'].reduce((sum, name) => sum + spent(name), 0);
  return {
    serverMicros: beyondIdle('main') + beyondIdle('others'),
    mainMicros: beyondIdle('main'),
    othersMicros: beyondIdle('others'),
    databaseMicros: spent('database') / responses,
    redisMicros: spent('redis') / responses,
    /** The share of CPU that other processes took. */
    strangers: 1 - known / spent('machine'),
    megabytes: residentMegabytes(server.pid),
    perSecond,
    p50,
  };
}

/** What hardly depends on the machine. Counting it costs CPU time, hence the load of its own. */
async function count(server, target) {
  await server.beginCount();
  const before = readsAndWrites(server.pid);
  const { responses } = await load({ ...target, seconds: COUNTING_SECONDS });
  const after = readsAndWrites(server.pid);
  const { allocatedBytes, passes } = await server.endCount();
  return {
    kilobytes: allocatedBytes / 1000 / responses,
    passes: passes / responses,
    reads: (after.reads - before.reads) / responses,
    writes: (after.writes - before.writes) / responses,
  };
}

async function withLastWords(server, task) {
  try {
    return await task();
  } catch (error) {
    throw new Error(`${server.name}: ${error.message}\n${await server.lastWords()}`, { cause: error });
  }
}
