// What a page of the event feed costs with ten million events, relative to ten thousand. See tools/bench/README.md.
// Run: npm run bench:feed -- [--events 10000000] [--rounds 5] [--node PATH]
import { parseArgs } from 'node:util';
import { openDatabase, withClient } from './database.mjs';
import { defaultLoader } from './load.mjs';
import { printSides, setting } from './report.mjs';
import { requireBuild } from './scene.mjs';
import { session } from './session.mjs';
import { measureSides, openSide } from './sides.mjs';
import { cursorsLike, list } from './works.mjs';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '5' },
    node: { type: 'string', default: process.execPath },
    loader: { type: 'string', default: defaultLoader() },
  },
});
const { node, loader } = values;
const rounds = Number(values.rounds);
const FEW = 10_000;
const MANY = Number(values.events);
const SEVERAL = 10_000; // paths of a varied work
const TYPES = ['pet.created', 'pet.updated', 'order.placed', 'order.cancelled'];
const seconds = { warmUpSeconds: 1, seconds: 2 };

await session(async ({ folder, signal, undo }) => {
  requireBuild();
  const database = await openDatabase(folder);
  undo(database.remove);
  console.log(
    Object.values({ ...setting({ node, rounds, measureSeconds: seconds.seconds }), loader }).join(', '),
  );
  const sides = [await prepare(database.url, FEW), await prepare(await database.create(), MANY)];
  const samples = await measureSides(sides, 'events', { loader, database, rounds, signal, ...seconds });
  printSides(samples, 'events', [FEW, MANY]);

  async function prepare(url, events) {
    const side = await openSide({ node, folder, signal, undo }, url);
    await seed(url, events);
    return { ...side, events, works: await makeWorks(side.server.origin, side.key, events) };
  }
});

/** Inserts what the sequencer would write for that many changes, all dated today. */
async function seed(url, events) {
  const start = performance.now();
  await withClient(url, async (client) => {
    await client.query(
      `INSERT INTO events (id, type, version, occurred_at, data)
       SELECT n, ($2::text[])[n % 4 + 1], 1, now(),
              json_build_object('id', n, 'name', 'Pet ' || n, 'categoryId', n % 50, 'status', 'available')
       FROM generate_series(1, $1::bigint) AS n`,
      [events, TYPES],
    );
    await client.query('UPDATE event_feed SET last_id = $1', [events]);
    await client.query('VACUUM ANALYZE events');
  });
  console.log(`${events} events, made in ${((performance.now() - start) / 1000).toFixed(0)} s`);
}

async function makeWorks(origin, key, events) {
  const all = await cursorsLike(origin, key, '/v1/events?limit=20');
  const ofType = await cursorsLike(origin, key, `/v1/events?limit=20&type=${TYPES[0]}`);
  const last = events - 1000; // leaves room for full pages
  const anywhere = Array.from({ length: SEVERAL }, () => Math.floor(Math.random() * last));
  const feed = (paths) => list(paths, 20, ({ id, type }) => Number.isInteger(id) && TYPES.includes(type));
  return {
    start: feed('/v1/events?limit=20'),
    end: feed(all(last)),
    'any cursor': feed(anywhere.map(all)),
    'any, of a type': feed(anywhere.map(ofType)),
  };
}
