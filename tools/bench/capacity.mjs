// How many replicas, Redis masters and PostgreSQL cores a load needs, from measured costs.
// Run: npm run capacity -- --rps 20000 [--reads 0.9] [--keys 1e6] [--busy 0.6] [--json]
import { parseArgs } from 'node:util';

/**
 * CPU microseconds per request, from `npm run bench -- --quick --redis --only list-varied,create`, and sizes in bytes.
 * They were measured on one machine; replace them with figures from yours.
 */
export const COSTS = {
  read: { service: 88, postgres: 31, redis: 11 },
  write: { service: 107, postgres: 48, redis: 13 },
  /** Resident memory of a replica, and the increase for each key that it sees in a day. */
  replicaBytes: 160e6,
  replicaKeyBytes: 69,
  /** Bytes per key in Redis. */
  redisKeyBytes: 136,
};

/** A replica's pool, and the connection that listens for changed keys. */
const CONNECTIONS = 11;
/** With more connections than this, PostgreSQL should be behind PgBouncer. */
const MANY_CONNECTIONS = 200;
const SECOND = 1e6; // microseconds

/**
 * @param rps requests per second of all clients
 * @param reads the share of read requests, 0 to 1
 * @param keys API keys in use on one day
 * @param busy the planned utilisation of a core, which leaves room for peaks and lost replicas
 */
export function capacity({ rps, reads = 0.9, keys = 10_000, busy = 0.6 }, costs = COSTS) {
  const cores = (part) =>
    (rps * (reads * costs.read[part] + (1 - reads) * costs.write[part])) / SECOND / busy;
  const replicas = Math.ceil(cores('service')) + 1; // one spare, for failures and rolling updates
  const connections = replicas * CONNECTIONS;
  return {
    replicas,
    replicaMegabytes: Math.ceil((costs.replicaBytes + keys * costs.replicaKeyBytes) / 1e6),
    redisMasters: Math.max(1, Math.ceil(cores('redis'))),
    redisMegabytes: Math.ceil((keys * costs.redisKeyBytes) / 1e6),
    postgresCores: Math.max(1, Math.ceil(cores('postgres'))),
    writesPerSecond: Math.round(rps * (1 - reads)),
    connections,
    pgBouncer: connections > MANY_CONNECTIONS,
    /** For a single key, whose counts are in one slot and therefore on one core. */
    hotKeyRps: Math.floor((SECOND / costs.read.redis) * busy),
  };
}

const USAGE = `Estimates the resources that a load needs, from measured costs:
  npm run capacity -- --rps 20000 [options]

  --rps N      requests per second, of all clients
  --reads N    share of read requests, 0 to 1 (default: 0.9)
  --keys N     API keys in use on one day (default: 10000)
  --busy N     planned use of a core, above 0 and up to 1 (default: 0.6)
  --json       print one JSON object`;

const LINES = {
  replicas: 'replicas with one core each',
  replicaMegabytes: 'MB of memory per replica',
  redisMasters: 'Redis masters (two or more form a cluster)',
  redisMegabytes: 'MB of counts in Redis',
  postgresCores: 'cores of PostgreSQL',
  writesPerSecond: 'creations a second, each with its event',
  connections: 'connections to PostgreSQL',
  hotKeyRps: 'requests a second at most for one key',
};

function main() {
  const { json, help, ...load } = readLoad();
  if (help) return void console.log(USAGE);
  const result = capacity(load);
  if (json) return void console.log(JSON.stringify(result));
  for (const [name, what] of Object.entries(LINES))
    console.log(`${String(result[name]).padStart(8)} ${what}`);
  if (result.pgBouncer) console.log(`${'+'.padStart(8)} PgBouncer in front of PostgreSQL`);
}

/** @throws Error that explains which option is wrong */
function readLoad() {
  const text = { type: 'string' };
  const { values } = parseArgs({
    options: {
      rps: text,
      reads: text,
      keys: text,
      busy: text,
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const { json, help, ...figures } = values;
  if (help) return { help };
  const load = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value)]));
  const problem = problemOf(load);
  if (problem) throw new Error(problem);
  return { ...load, json };
}

function problemOf({ rps, reads = 0, keys = 0, busy = 1 }) {
  if (!(rps > 0 && rps < Infinity)) return '--rps takes the requests a second, such as 20000';
  if (!(reads >= 0 && reads <= 1)) return '--reads takes a share from 0 to 1';
  if (!(keys >= 0 && keys < Infinity)) return '--keys takes a number of keys, such as 1e6';
  if (!(busy > 0 && busy <= 1)) return '--busy takes a share above 0, and 1 at most';
  return undefined;
}

if (import.meta.filename === process.argv[1]) {
  try {
    main();
  } catch (error) {
    console.error(`capacity: ${error.message}`);
    process.exitCode = 1;
  }
}
