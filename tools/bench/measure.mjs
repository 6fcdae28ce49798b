import { clusterCpu, machineCpu, ownCpu, processCpu } from './cpu.mjs';
import { transactions } from './database.mjs';
import { load, probe } from './load.mjs';

/**
 * Takes one sample of a work: per response, the CPU microseconds of the server and of PostgreSQL, and the transactions
 * that PostgreSQL ran; also the load's results.
 */
export async function measure(server, target, { loader, database, redis, warmUpSeconds, seconds }) {
  try {
    await probe(target);
    if (warmUpSeconds > 0) await load(loader, { ...target, seconds: warmUpSeconds });
    const ran = await transactions(database.url);
    const before = readCpu(server, database, redis);
    const { responses, perSecond, p50, p99 } = await load(loader, { ...target, seconds });
    const after = readCpu(server, database, redis);
    const spent = (account) => after[account] - before[account];
    return {
      serverMicros: spent('server') / responses,
      redisMicros: redis && spent('redis') / responses,
      databaseMicros: database.postmaster && spent('database') / responses,
      transactions: ((await transactions(database.url)) - ran) / responses,
      strangers:
        database.postmaster &&
        (spent('machine') -
          spent('server') -
          spent('database') -
          (redis ? spent('redis') : 0) -
          spent('loader')) /
          spent('machine'),
      perSecond,
      p50,
      p99,
    };
  } catch (error) {
    throw new Error(`${server.name}: ${error.message}\n${await server.lastWords()}`, { cause: error });
  }
}

function readCpu(server, { postmaster }, redis) {
  return {
    redis: redis && processCpu(redis.pid),
    server: processCpu(server.pid),
    database: postmaster && clusterCpu(postmaster),
    loader: ownCpu(),
    machine: machineCpu(),
  };
}
