import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { serverNames } from './servers.mjs';
import { workNames } from './works.mjs';

export const usage = `npm run bench -- [options]
  --quick           ours and fastify, 2 rounds of 1 s (otherwise all servers, 5 rounds of 2 s)
  --only WORKS      of ${workNames.join(',')}
  --server SERVERS  of ${serverNames.join(',')}; ours always runs
  --rounds N        rounds; each one measures every server once
  --connections N   32 unless told; with 1, p50 is the response time of a single client
  --against FOLDER  compares ours with another version of the service: fresh processes for each round, in random order
  --together        loads all servers at the same time, where the speed of the machine swings
  --redis           quotas of ours and fastify in one Redis; needs redis-server
  --traced          ours sends its traces to a collector; with --against ., what that costs
  --node PATH       the Node.js that runs the servers (default: this one)
  --json FILE       write every sample to FILE
  --markdown        prints the tables of docs/performance.md at the end
  --assert          exit with 1 if a bound of lab/bench/report.mjs is exceeded`;

/** Parses and checks the command line. @throws Error if it is invalid */
export function readOptions(args) {
  const flag = { type: 'boolean', default: false };
  const text = { type: 'string' };
  const { values } = parseArgs({
    args,
    options: {
      ...{ quick: flag, assert: flag, redis: flag, help: flag, together: flag, markdown: flag, traced: flag },
      ...{ only: text, server: text, rounds: text, json: text, against: text },
      connections: { type: 'string', default: '32' },
      node: { type: 'string', default: process.execPath },
    },
  });
  const { quick, redis, only, server, against } = values;
  const peers = against ? [] : quick || redis ? ['fastify'] : serverNames;
  return {
    ...values,
    works: chosen(only, workNames) ?? workNames,
    against: against && resolve(against),
    servers: [
      ...serverNames.filter((name) => ['ours', ...(chosen(server, serverNames) ?? peers)].includes(name)),
      ...(against ? ['against'] : []),
    ],
    rounds: positive('--rounds', values.rounds ?? (quick ? 2 : 5)),
    connections: positive('--connections', values.connections),
    measureSeconds: quick ? 1 : 2,
    warmUpRequests: quick ? 5_000 : 20_000,
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
