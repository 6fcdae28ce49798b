// What a burst of one client costs another: node lab/shares/run.mjs --help
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seedPets } from '../bench/scene.mjs';
import { openDatabase } from '../bench/database.mjs';
import { createKey, freePort, startServer } from '../bench/servers.mjs';
import { session } from '../bench/session.mjs';
import { startRedis } from '../soak/redis.mjs';
import { PROXIES, startProxy } from './proxies.mjs';
import { PACKETS, SHAPES } from './shapes.mjs';

const { values: options } = parseArgs({
  options: {
    node: { type: 'string', default: process.execPath },
    count: { type: 'string', default: '950' },
    heap: { type: 'string', default: '256' },
    by: { type: 'string', default: 'haproxy' },
    new: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    only: { type: 'string' },
    redis: { type: 'boolean', default: false },
    assert: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const HELP = `Sends bursts of one client to the service, while another client lists and writes in turn, and prints how much CPU time of
the service's main thread passes at most until a list, a creation, one with an Idempotency-Key, and a change have their response.
  --by <way>            haproxy (deploy/haproxy/haproxy.cfg), nginx (docs/systemd.md) or direct (haproxy)
  --first               the first burst, for which a proxy opens its connections to the service; by default one of lists comes before
  --new                 a new connection for each request of the other client
  --count <n>           connections of the burst (950)
  --heap <MB>           the limit of the service's heap (256)
  --only <text>         the shapes whose name contains it
  --redis               with Redis
  --assert              fails if a burst ends the process, makes a request of the other client fail, or takes more memory than MOST
  --node <path>         the Node.js that runs the service`;

/** Peak of the resident memory in MiB with a heap of 256 MB: what a container of 512 MiB has, less a reserve. */
const MOST = 450;
const isProxied = options.by in PROXIES;
const problems = [];

/** @throws if the process ends without one */
const messageOf = async (process) => {
  const ended = new AbortController();
  const exit = once(process, 'exit', { signal: ended.signal }).then(([code, signal]) => {
    throw new Error(`${process.spawnargs[1]} ended early: ${code ?? signal}`);
  });
  try {
    return (await Promise.race([once(process, 'message', { signal: ended.signal }), exit]))[0];
  } finally {
    exit.catch(() => {});
    ended.abort();
  }
};

const memory = async (pid) => {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  return ['VmHWM', 'VmRSS'].map((name) =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024),
  );
};

async function measure(name, { service, proxyPort, keys }) {
  const children = [];
  const child = (file, argument) => {
    const process = fork(new URL(file, import.meta.url), [JSON.stringify(argument)]);
    children.push(process);
    return process;
  };
  const attacker = async (shape) => {
    const process = child('attacker.mjs', {
      name: shape,
      port,
      ...keys,
      key: keys.attacker,
      count: Number(options.count),
    });
    await messageOf(process);
    return process;
  };
  const port = proxyPort ?? Number(new URL(service.origin).port);
  try {
    if (!options.first) {
      const earlier = await attacker('lists');
      earlier.send('go');
      await messageOf(earlier);
    }
    await burst(name, { service, port, keys, child, attacker });
  } finally {
    for (const one of children) one.kill();
  }
}

async function burst(name, { service, port, keys, child, attacker }) {
  await writeFile(`/proc/${service.pid}/clear_refs`, '5'); // resets the peak; see proc(5)
  const origin = `http://127.0.0.1:${port}`;
  const neighbour = child('neighbour.mjs', {
    pid: service.pid,
    origin,
    key: keys.neighbour,
    kept: !options.new,
  });
  await messageOf(neighbour);
  const attacking = await attacker(name);
  await sleep(300);
  const began = performance.now();
  attacking.send('go');
  const statuses = await messageOf(attacking);
  const took = Math.round(performance.now() - began);
  await sleep(200);
  neighbour.send('stop');
  const { count, p50, most, failures } = await messageOf(neighbour);
  const [peak] = await memory(service.pid);
  const figures = [
    ...Object.values(most).map((value) => value.toFixed(0)),
    p50.toFixed(1),
    String(count),
    String(took),
    String(peak),
    JSON.stringify(statuses),
    JSON.stringify(failures),
  ];
  console.log(`| ${[name.padEnd(45), ...figures].join(' | ')} |`);
  if (peak > MOST) problems.push(`${name}: ${peak} MiB`);
  if (Object.keys(failures).length > 0)
    problems.push(`${name}: the other client got ${JSON.stringify(failures)}`);
}

await session(async ({ folder, signal, undo }) => {
  if (options.help) {
    console.log(HELP);
    return;
  }
  if (!isProxied && options.by !== 'direct') throw new Error(HELP);
  const database = await openDatabase(folder);
  undo(database.remove);
  const redis = options.redis ? await startRedis(folder, await freePort()) : undefined;
  if (redis) undo(redis.stop);
  const common = { node: options.node, folder, databaseUrl: database.url, signal };
  const extraEnv = {
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: `--max-old-space-size=${options.heap}`,
    ...(isProxied && { TRUST_PROXY: '1' }),
    ...(redis && { REDIS_URL: redis.url }),
  };
  const attackers = await createKey(common, { name: 'attacker', perMinute: 1e8, perDay: 1e9 });
  const keys = {
    attacker: attackers,
    neighbour: await createKey(common, { name: 'neighbour', perMinute: 1e8, perDay: 1e9 }),
    exhausted: await createKey(common, { name: 'exhausted', perMinute: 1, perDay: 1 }),
  };
  await seedPets(database.url);
  let service;
  undo(() => service?.stop());
  let proxy;
  undo(() => proxy?.stop());
  console.log(
    `| Burst of ${options.count} | list | create | once | change | p50 | requests | took ms | peak RSS MiB | responses | failures of the other |`,
  );
  console.log(`| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |`);
  for (const name of [...Object.keys(SHAPES), ...Object.keys(PACKETS)]) {
    if (options.only && !name.includes(options.only)) continue;
    service = await startServer('ours', { ...common, extraEnv });
    if (isProxied) proxy = await startProxy(options.by, folder, new URL(service.origin).port);
    // Both keys are known, and the code is compiled, as in a service that has been running.
    for (let i = 0; i < 600; i++) {
      const key = i % 2 ? keys.attacker : keys.neighbour;
      await (
        await fetch(`${service.origin}/v1/pets?limit=20`, { headers: { authorization: `Bearer ${key}` } })
      ).text();
    }
    await fetch(`${service.origin}/v1/pets`, { headers: { authorization: `Bearer ${keys.exhausted}` } });
    await measure(name, { service, proxyPort: proxy?.port, keys }).catch(async (error) =>
      problems.push(`${name}: ${error.message}: ${await service.lastWords()}`),
    );
    await proxy?.stop();
    await service.stop();
  }
  for (const problem of problems) console.error(problem);
  return options.assert && problems.length > 0 ? 1 : 0;
});
