// CPU per request of our service beside its peers. What it means: bench/README.md
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { clusterCpu, machineCpu, ownCpu, processCpu } from './cpu.mjs';
import { openDatabase, sql } from './database.mjs';
import { defaultLoader, load, probe } from './load.mjs';
import { readOptions, usage } from './options.mjs';
import { exceededBounds, printReport, setting, summarize, warnOfStrangers } from './report.mjs';
import { createKey, randomKey, startServer } from './servers.mjs';
import { works } from './works.mjs';

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => interrupted.abort());
const { signal } = interrupted;
const undo = []; // what to stop and remove at the end, last first

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) console.log(usage);
  else process.exitCode = await bench(options);
} catch (error) {
  console.error(signal.aborted ? 'Interrupted.' : `bench: ${error.message}`);
  process.exitCode = signal.aborted ? 130 : 1;
} finally {
  for (const step of undo.reverse()) {
    await Promise.resolve(step()).catch((error) =>
      console.error(`bench: while cleaning up: ${error.message}`),
    );
  }
}

async function bench(options) {
  const loader = options.loader ?? defaultLoader();
  const { servers, keys, petId, postmaster } = await start(options);
  const where = { ...setting(options), loader };
  console.log(Object.values(where).join(', '));
  const samples = [];
  for (const [name, work] of Object.entries(works(petId))) {
    if (!options.works.includes(name)) continue;
    const taking = servers.filter((server) => !work.servers || work.servers.includes(server.name));
    for (let round = 1; round <= options.rounds; round++) {
      for (const server of taking) {
        const target = { origin: server.origin, work, key: keys[work.key ?? 'unlimited'], signal };
        const warmUpSeconds = round === 1 ? options.firstWarmUpSeconds : options.warmUpSeconds;
        const seconds = { warmUp: warmUpSeconds, measure: options.measureSeconds };
        const sample = await measure(server, target, { loader, postmaster, seconds });
        samples.push({ work: name, round, server: server.name, ...sample });
      }
    }
    printReport(name, summarize(samples, name));
    warnOfStrangers(samples, name);
  }
  if (options.json) await writeFile(options.json, JSON.stringify({ ...where, samples }, null, 2) + '\n');
  if (!options.assert) return 0;
  const exceeded = exceededBounds(samples);
  for (const line of exceeded) console.error(line);
  return exceeded.length > 0 ? 1 : 0;
}

/** One sample: CPU microseconds per answer of the server and of PostgreSQL. */
async function measure(server, target, { loader, postmaster, seconds }) {
  try {
    await probe(target);
    await load(loader, { ...target, seconds: seconds.warmUp });
    const before = readCpu(server, postmaster);
    const { answers, perSecond } = await load(loader, { ...target, seconds: seconds.measure });
    const after = readCpu(server, postmaster);
    const spent = (account) => after[account] - before[account];
    return {
      serverMicros: spent('server') / answers,
      databaseMicros: postmaster && spent('database') / answers,
      strangers:
        postmaster &&
        (spent('machine') - spent('server') - spent('database') - spent('loader')) / spent('machine'),
      perSecond,
    };
  } catch (error) {
    throw new Error(`${server.name}: ${error.message}\n${await server.lastWords()}`, { cause: error });
  }
}

function readCpu(server, postmaster) {
  return {
    server: processCpu(server.pid),
    database: postmaster && clusterCpu(postmaster),
    loader: ownCpu(),
    machine: machineCpu(),
  };
}

/** Database, our service (which makes the tables and the keys), the rows, then the peers. */
async function start({ node, servers: names }) {
  const ours = names.includes('ours');
  if (ours && !existsSync(new URL('../dist/src/main.js', import.meta.url)))
    throw new Error('dist/src/main.js is missing: run "npm run build", or leave ours out with --server');

  const folder = await mkdtemp(join(tmpdir(), 'petstore-bench-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711); // PostgreSQL may have to run as another user than root
  const database = await openDatabase(folder);
  undo.push(database.remove);
  signal.throwIfAborted();

  const servers = [];
  const common = { node, folder, databaseUrl: database.url, signal };
  const add = async (name, apiKey) => {
    const server = await startServer(name, { ...common, apiKey });
    undo.push(server.stop);
    servers.push(server);
  };
  const keys = {};
  if (ours) {
    await add('ours');
    keys.unlimited = await createKey(common, { name: 'bench', perMinute: 1e8, perDay: 1e9 });
    keys.exhausted = await createKey(common, { name: 'bench-exhausted', perMinute: 1, perDay: 1 });
    await fetch(`${servers[0].origin}/v1/pets`, { headers: { authorization: `Bearer ${keys.exhausted}` } });
  } else {
    await sql(database.url, await readText('pets.sql'));
    keys.unlimited = randomKey();
  }
  await sql(database.url, await readText('seed.sql'));
  const hash = createHash('sha256').update(keys.unlimited).digest('hex');
  await sql(database.url, 'INSERT INTO bench_api_keys (hash, name) VALUES ($1, $2)', [hash, 'bench']);
  const [{ id }] = await sql(database.url, 'SELECT min(id) AS id FROM pets');
  for (const name of names) if (name !== 'ours') await add(name, keys.unlimited);
  return { servers, keys, petId: id, postmaster: database.postmaster };
}

function readText(name) {
  return readFile(new URL(name, import.meta.url), 'utf8');
}
