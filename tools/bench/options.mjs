import { parseArgs } from 'node:util';
import { serverNames } from './servers.mjs';
import { workNames } from './works.mjs';

export const usage = `npm run bench -- [options]
  --quick           ours and fastify, 2 rounds of 1 s (otherwise all servers, 5 rounds of 2 s)
  --only WORKS      of ${workNames.join(',')}
  --server SERVERS  of ${serverNames.join(',')}; ours always runs
  --rounds N        rounds; each one measures every server once
  --connections N   32 unless told; with 1, p50 is the response time of a single client
  --together        loads all servers at the same time, where the speed of the machine swings
  --redis           quotas of ours and fastify in one Redis; needs redis-server
  --node PATH       the Node.js that runs the servers (default: this one)
  --json FILE       write every sample to FILE
  --assert          exit with 1 if a bound of tools/bench/report.mjs is exceeded`;

/** Parses and checks the command line. @throws Error if it is invalid */
export function readOptions(args) {
  const flag = { type: 'boolean', default: false };
  const text = { type: 'string' };
  const { values } = parseArgs({
    args,
    options: {
      ...{ quick: flag, assert: flag, redis: flag, help: flag, together: flag },
      ...{ only: text, server: text, rounds: text, json: text },
      connections: { type: 'string', default: '32' },
      node: { type: 'string', default: process.execPath },
    },
  });
  const { quick, redis, only, server } = values;
  const peers = quick || redis ? ['fastify'] : serverNames;
  return {
    ...values,
    works: chosen(only, workNames) ?? workNames,
    servers: serverNames.filter((name) => ['ours', ...(chosen(server, serverNames) ?? peers)].includes(name)),
    rounds: positive('--rounds', values.rounds ?? (quick ? 2 : 5)),
    connections: positive('--connections', values.connections),
    measureSeconds: quick ? 1 : 2,
    warmUpSeconds: quick ? 0 : 1,
    workWarmUpSeconds: quick ? 1 : 8,
    firstWarmUpSeconds: quick ? 8 : 25,
  };
}

function positive(option, value) {
  if (!/^[1-9]\d*$/.test(value)) throw new Error(`${option} ${value} is not a whole number of at least 1`);
  return Number(value);
}

function chosen(list, known) {
  const names = list?.split(',');
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`${unknown} is none of ${known.join()}`);
  return names;
}
