import { parseArgs } from 'node:util';
import { serverNames } from './servers.mjs';
import { workNames } from './works.mjs';

export const usage = `node tools/bench/run.mjs [options]
  --quick           ours and fastify, 2 rounds of 1 s, no quotas, no latency (otherwise 5 rounds of 2 s)
  --only WORKS      of ${workNames.join(',')}; no quotas, no latency
  --server SERVERS  of ${serverNames.join(',')}
  --rounds N        rounds; each one measures every server once
  --redis           quotas of ours and fastify in one Redis; needs a redis-server
  --exactness       also what four processes on one Redis admit; needs a redis-server
  --latency         also the latency at 1, 4 and 16 connections, where --quick or --only leave it out
  --node PATH       the Node.js that runs the servers (default: this one)
  --loader NAME     wrk or autocannon (default: wrk if it is installed)
  --json FILE       write every sample to FILE
  --assert          exit with 1 when a bound of tools/bench/bounds.mjs is exceeded`;

const quickWorks = workNames.filter((name) => !['get', 'update', 'order'].includes(name));

const flag = { type: 'boolean', default: false };
const text = { type: 'string' };

/** Parses and checks the command line. @throws Error with the usage if it is invalid */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: flag,
      assert: flag,
      exactness: flag,
      redis: flag,
      latency: flag,
      help: flag,
      only: text,
      server: text,
      rounds: text,
      node: { type: 'string', default: process.execPath },
      loader: text,
      json: text,
    },
  });
  const { quick, only } = values;
  const complete = !quick && only === undefined;
  const limited = values.redis ? ['ours', 'fastify', 'fastify-bare'] : serverNames;
  const peers = quick ? ['ours', 'fastify'] : limited;
  const options = {
    ...values,
    works: choice('--only', only ?? (quick ? quickWorks : workNames).join(), workNames),
    servers: choice('--server', values.server ?? peers.join(), serverNames),
    rounds: Number(values.rounds ?? (quick ? 2 : 5)),
    quotas: complete,
    latency: values.latency || complete,
    measureSeconds: quick ? 1 : 2,
    warmUpSeconds: quick ? 0 : 1,
    workWarmUpSeconds: quick ? 1 : 4,
    firstWarmUpSeconds: quick ? 5 : 8,
  };
  check(options);
  return options;
}

function check({ rounds, loader, assert, servers }) {
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a positive integer');
  if (loader) choice('--loader', loader, ['wrk', 'autocannon']);
  if (assert && !(servers.includes('ours') && servers.includes('fastify')))
    throw new Error('--assert compares ours with fastify: both must run');
}

function choice(option, list, known) {
  const names = list.split(',');
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`${option}: ${unknown.join()} is none of ${known.join()}`);
  return known.filter((name) => names.includes(name));
}
