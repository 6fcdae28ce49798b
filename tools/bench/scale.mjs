// What a list costs with ten million pets, relative to ten thousand. See tools/bench/README.md.
// Run: npm run bench:scale -- [--pets 10000000] [--rounds 5] [--node PATH] [--json FILE]
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openDatabase, sql, withClient } from './database.mjs';
import { defaultLoader } from './load.mjs';
import { printSides, setting } from './report.mjs';
import { requireBuild } from './scene.mjs';
import { session } from './session.mjs';
import { measureSides, openSide } from './sides.mjs';
import { cursorsLike, list, pathOf } from './works.mjs';

const { values } = parseArgs({
  options: {
    pets: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '5' },
    node: { type: 'string', default: process.execPath },
    loader: { type: 'string', default: defaultLoader() },
    json: { type: 'string' },
  },
});
const { node, loader } = values;
const rounds = Number(values.rounds);
const FEW = 10_000;
const MANY = Number(values.pets);
const RARE = 10_000; // one in this many pets is pending
const FEWEST_RARE = 50; // enough to fill a page in the second half of the table
const SEVERAL = 10_000; // paths of a varied work
const seconds = { warmUpSeconds: 1, seconds: 2 };

await session(async ({ folder, signal, undo }) => {
  requireBuild();
  const database = await openDatabase(folder);
  undo(database.remove);
  const where = setting({ node, rounds, measureSeconds: seconds.seconds });
  console.log(Object.values({ ...where, loader }).join(', '));
  const few = await prepare(database.url, FEW);
  const many = await prepare(await database.create(), MANY);
  const samples = await measureSides([few, many], 'pets', { loader, database, rounds, signal, ...seconds });
  printSides(samples, 'pets', [FEW, MANY]);
  await explain(many);
  if (values.json) await writeFile(values.json, JSON.stringify({ ...where, samples }, null, 2) + '\n');

  async function prepare(url, pets) {
    const side = await openSide({ node, folder, signal, undo }, url);
    await seed(url, pets);
    return { ...side, pets, works: await makeWorks(side.server.origin, side.key, pets) };
  }
});

/** Creates ids from 1 without gaps. Only the status `pending` is rare. */
async function seed(url, pets) {
  const start = performance.now();
  const every = Math.min(RARE, Math.floor(pets / FEWEST_RARE));
  await withClient(url, async (client) => {
    await client.query(
      `INSERT INTO pets (name, category_id, status)
       SELECT 'Pet ' || n, n % 50,
              CASE WHEN n % $2 = 0 THEN 'pending' WHEN n % 2 = 0 THEN 'sold' ELSE 'available' END
       FROM generate_series(1, $1::bigint) AS n`,
      [pets, every],
    );
    await client.query('VACUUM ANALYZE pets');
  });
  const [{ bytes }] = await sql(url, "SELECT pg_total_relation_size('pets') AS bytes");
  const took = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`${pets} pets: ${Math.round(bytes / 1e6)} MB with indexes, made in ${took} s`);
}

/**
 * The same pages of both tables: at the start, in the middle, at the end, at random positions, and with the rare
 * status.
 */
async function makeWorks(origin, key, pets) {
  const all = await cursorsLike(origin, key, '/v1/pets?limit=20');
  const available = await cursorsLike(origin, key, '/v1/pets?limit=20&status=available');
  const pending = await cursorsLike(origin, key, '/v1/pets?limit=20&status=pending');
  const anywhere = Array.from({ length: SEVERAL }, () => Math.floor(Math.random() * (pets - 1000)));
  const last = pets - 1000; // leaves room for full pages
  return {
    start: list('/v1/pets?limit=20&status=available'),
    middle: list(available(Math.floor(pets / 2))),
    end: list(available(last)),
    'any cursor': list(anywhere.map(available)),
    'any, no status': list(anywhere.map(all)),
    rare: list('/v1/pets?limit=20&status=pending'),
    'rare, any cursor': list(anywhere.map((id) => pending(Math.floor(id / 2)))), // full pages
    'get any': {
      paths: anywhere.map((id) => pathOf(id + 1)),
      status: 200,
      check: (body) => body.id === anywhere[0] + 1,
    },
  };
}

/** Prints the plan that a prepared statement uses after its first executions, for the rare status in the middle. */
async function explain({ url, pets }) {
  const page = `page ('pending', ${Math.floor(pets / 2)}, 21)`;
  await withClient(url, async (client) => {
    await client.query(
      `PREPARE page AS SELECT id, name, category_id, status FROM pets
       WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`,
    );
    for (let i = 0; i < 10; i++) await client.query(`EXECUTE ${page}`);
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS) EXECUTE ${page}`);
    console.log();
    for (const row of rows) console.log(row['QUERY PLAN']);
  });
}
