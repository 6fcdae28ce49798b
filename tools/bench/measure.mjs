import { clusterCpu, machineCpu, ownCpu, processCpu, residentMegabytes } from './cpu.mjs';
import { load, probe } from './load.mjs';

/**
 * Takes one sample of a work: per response, the CPU microseconds of the server, PostgreSQL and Redis; also the server's
 * memory, the rate and the median response time.
 */
export async function measure(server, target, { postmaster, redis, warmUpSeconds, seconds }) {
  const read = () => ({
    server: processCpu(server.pid),
    database: clusterCpu(postmaster),
    redis: redis ? processCpu(redis.pid()) : 0,
    loader: ownCpu(),
    machine: machineCpu(),
  });
  try {
    await probe(target);
    if (warmUpSeconds > 0) await load({ ...target, seconds: warmUpSeconds });
    const before = read();
    const { responses, perSecond, p50 } = await load({ ...target, seconds });
    const after = read();
    const spent = (account) => after[account] - before[account];
    const known = spent('server') + spent('database') + spent('redis') + spent('loader');
    return {
      serverMicros: spent('server') / responses,
      databaseMicros: spent('database') / responses,
      redisMicros: spent('redis') / responses,
      /** The share of CPU that other processes took. */
      strangers: 1 - known / spent('machine'),
      megabytes: residentMegabytes(server.pid),
      perSecond,
      p50,
    };
  } catch (error) {
    throw new Error(`${server.name}: ${error.message}\n${await server.lastWords()}`, { cause: error });
  }
}
