import { parseArgs } from 'node:util';
import { serverNames } from './servers.mjs';
import { workNames } from './works.mjs';

export const usage = `node bench/run.mjs [options]
  --quick           the list only, 3 rounds of 2 s (otherwise 5 rounds of 4 s, every work)
  --only WORKS      of ${workNames.join(',')}
  --server SERVERS  of ${serverNames.join(',')}
  --rounds N        rounds; each one measures every server once
  --node PATH       the Node.js that runs the servers (default: this one)
  --loader NAME     wrk or autocannon (default: wrk if it is installed)
  --json FILE       write every sample to FILE
  --assert          exit with 1 when a bound of bench/bounds.mjs is exceeded`;

/** The command line, checked. Throws with the usage when it is wrong. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      assert: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      only: { type: 'string' },
      server: { type: 'string' },
      rounds: { type: 'string' },
      node: { type: 'string', default: process.execPath },
      loader: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const { quick } = values;
  const options = {
    ...values,
    works: choice('--only', values.only ?? (quick ? 'list' : workNames.join()), workNames),
    servers: choice('--server', values.server ?? serverNames.join(), serverNames),
    rounds: Number(values.rounds ?? (quick ? 3 : 5)),
    measureSeconds: quick ? 2 : 4,
    warmUpSeconds: 1,
    firstWarmUpSeconds: quick ? 6 : 10, // a slow server needs that long until V8 has optimised it
  };
  if (!Number.isInteger(options.rounds) || options.rounds < 1)
    throw new Error('--rounds takes a positive integer');
  if (options.loader) choice('--loader', options.loader, ['wrk', 'autocannon']);
  if (options.assert && !(options.servers.includes('ours') && options.servers.includes('fastify')))
    throw new Error('--assert compares ours with fastify: both must run');
  return options;
}

function choice(option, list, known) {
  const names = list.split(',');
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`${option}: ${unknown.join()} is none of ${known.join()}`);
  return known.filter((name) => names.includes(name));
}
