import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { hashSecret, makeSecret } from '../../dist/src/platform/access/keys/secret.js';
import { startRedis } from '../soak/redis.mjs';
import { openDatabase, sql } from './database.mjs';
import { createKey, freePort, startServer } from './servers.mjs';

/** More than are ordered in a minute. */
const ORDERABLE = 300_000;
/** With so many, no key exceeds the limit of batches before the process is busy. */
const IMPORTERS = 100;

/** Sets up the database, the keys and 10,000 pets. */
export async function setScene(options, { folder, signal, undo }) {
  const { node, works, redis: withRedis, against, traced } = options;
  const database = await openDatabase(folder);
  undo(database.remove);
  const redis = withRedis ? await startRedis(folder, await freePort()) : undefined;
  if (redis) undo(redis.stop);
  const extraEnv = redis ? { REDIS_URL: redis.url } : {};
  const common = { node, folder, databaseUrl: database.url, signal, extraEnv, against, counts: true };
  const unlimited = await createKey(common, { name: 'bench', perMinute: 1e8, perDay: 1e9 });
  const exhausted = await createKey(common, { name: 'bench-exhausted', perMinute: 1, perDay: 1 });
  const importers = works.includes('batch') ? await addImporters(database.url) : [];
  const keys = { unlimited: [unlimited], exhausted: [exhausted], importers };
  const petIds = await seedPets(database.url);
  const hash = createHash('sha256').update(unlimited).digest('hex');
  await sql(database.url, 'INSERT INTO bench_api_keys (hash, name) VALUES ($1, $2)', [hash, 'bench']);
  const orderable = works.includes('order') ? await addOrderable(database.url) : undefined;
  const collector = traced ? { OTEL_EXPORTER_OTLP_ENDPOINT: await startCollector(undo) } : {};
  const start = async (name) => {
    const env = { ...extraEnv, ...(name === 'ours' && collector) };
    const server = await startServer(name, { ...common, extraEnv: env, apiKey: unlimited });
    undo(server.stop);
    // The first of these requests uses up the day.
    const headers = { authorization: `Bearer ${exhausted}` };
    if (name === 'ours') await fetch(`${server.origin}/v1/pets`, { headers });
    return server;
  };
  return { start, keys, database, petIds, orderable, redis };
}

/** A collector of traces that takes everything and keeps nothing. @returns its address */
async function startCollector(undo) {
  const collector = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  undo(() => collector.close());
  return `http://127.0.0.1:${collector.address().port}`;
}

/** Adds keys like the first one. @returns their secrets */
async function addImporters(url) {
  const secrets = Array.from({ length: IMPORTERS }, makeSecret);
  await sql(
    url,
    `INSERT INTO api_keys (name, plan, per_minute, per_day, hash, prefix, last_four)
     SELECT name, plan, per_minute, per_day, decode(new, 'hex'), prefix, last_four
     FROM api_keys, unnest($1::text[]) AS new WHERE name = 'bench'`,
    [secrets.map(hashSecret)],
  );
  return secrets;
}

/** Adds pets that are each ordered once. */
async function addOrderable(url) {
  const [{ first }] = await sql(
    url,
    `WITH added AS (
       INSERT INTO pets (name, category_id, status) SELECT 'Pet ' || n, n % 50, 'available'
       FROM generate_series(1, $1::bigint) AS n RETURNING id)
     SELECT min(id)::integer AS first FROM added`,
    [ORDERABLE],
  );
  return {
    first,
    /** Takes the next `count` pets. @returns the first id */
    take(count) {
      this.first += count;
      return this.first - count;
    },
  };
}

/** @returns the ids of 10,000 pets */
export async function seedPets(url) {
  await sql(url, await readFile(new URL('seed.sql', import.meta.url), 'utf8'));
  const pets = await sql(url, 'SELECT id FROM pets ORDER BY id');
  return pets.map(({ id }) => id);
}
