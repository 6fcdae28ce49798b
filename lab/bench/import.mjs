// What an import by POST /v1/pets/batch does to others: their lists, the feed of events and a webhook.
// Run: node lab/bench/import.mjs [--batches 1000] [--size 100] [--connections 8] [--node PATH]
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { threadsCpu } from './cpu.mjs';
import { openDatabase } from './database.mjs';
import { startReceiver } from './receiver.mjs';
import { print, quantile, setting } from './report.mjs';
import { createKey, startServer } from './servers.mjs';
import { session } from './session.mjs';

const { values } = parseArgs({
  options: {
    batches: { type: 'string', default: '1000' }, // what the business plan allows in a minute
    size: { type: 'string', default: '100' },
    connections: { type: 'string', default: '8' }, // as many as a client has slots
    node: { type: 'string', default: process.execPath },
  },
});
const { node } = values;
const [batches, size, connections] = [values.batches, values.size, values.connections].map(Number);
const QUOTA = { perMinute: 1e8, perDay: 1e9 };

await session(async ({ folder, signal, undo }) => {
  const database = await openDatabase(folder);
  undo(database.remove);
  const receiver = await startReceiver();
  undo(receiver.stop);
  const common = { node, folder, databaseUrl: database.url, signal };
  const server = await startServer('ours', {
    ...common,
    extraEnv: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  });
  undo(server.stop);
  const importer = client(server, await createKey(common, { name: 'importer', ...QUOTA }));
  const neighbour = client(server, await createKey(common, { name: 'neighbour', ...QUOTA }));
  await neighbour('/v1/webhooks', { url: `${receiver.origin}/` });
  console.log(Object.values(setting({ node, rounds: 1, measureSeconds: 0 })).join(', '));

  const pets = Array.from({ length: size }, (_, i) => ({ name: `Pet ${i}`, categoryId: 7 }));
  for (let i = 0; i < 20; i++) await importer('/v1/pets/batch', { pets }); // warm-up
  const warmed = 20 * size;
  while (receiver.lateness.length < warmed) await sleep(50, undefined, { signal });
  receiver.lateness.length = 0;

  const feed = { lateness: [], stop: false };
  const lists = { cpu: [], stop: false };
  const reading = readFeed(neighbour, feed);
  const listing = list(neighbour, server.pid, lists);
  const start = performance.now();
  let left = batches;
  const importing = async () => {
    while (left-- > 0) await importer('/v1/pets/batch', { pets });
  };
  await Promise.all(Array.from({ length: connections }, importing));
  const took = (performance.now() - start) / 1000;
  lists.stop = true;
  await listing;
  const events = batches * size;
  while (feed.lateness.length < events) await sleep(50, undefined, { signal });
  feed.stop = true;
  await reading;
  while (receiver.lateness.length < events) await sleep(100, undefined, { signal });
  const late = (all) => [0.5, 0.99, 1].map((of) => (quantile(all, of) / 1000).toFixed(2));
  console.log(`${events} pets in ${took.toFixed(1)} s, ${(events / took).toFixed(0)} a second`);
  print(
    ['', 'p50', 'p99', 'most'],
    [
      ['a list of another key, ms of CPU', ...[0.5, 0.99, 1].map((of) => quantile(lists.cpu, of).toFixed(0))],
      ['the feed, s late', ...late(feed.lateness)],
      ['a webhook, s late', ...late(receiver.lateness)],
    ],
  );
});

/** Sends GET without a body, otherwise POST. */
function client({ origin }, key) {
  const authorization = `Bearer ${key}`;
  return async function ask(path, body) {
    const response = await fetch(origin + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
    });
    const answer = await response.json();
    if (response.status === 429) {
      await sleep(1000 * Number(response.headers.get('retry-after')));
      return ask(path, body);
    }
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
    return { answer, next: /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] };
  };
}

/** CPU of the service's main thread between a request and its response: other load on the machine does not count. */
async function list(get, pid, into) {
  const cpu = () => threadsCpu(pid).main / 1000;
  while (!into.stop) {
    const before = cpu();
    await get('/v1/pets?limit=20');
    into.cpu.push(cpu() - before);
  }
}

async function readFeed(get, into) {
  let path = '/v1/events?since=now&limit=100'; // not those of the warm-up
  while (!into.stop) {
    const { answer, next } = await get(path);
    for (const { occurredAt } of answer) into.lateness.push(Date.now() - Date.parse(occurredAt));
    if (answer.length === 0) await sleep(20);
    const url = new URL(next);
    path = url.pathname + url.search;
  }
}
