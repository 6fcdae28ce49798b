// Compares CPU per request of our service and its peers. See lab/bench/README.md.
import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { requireWrk } from './load.mjs';
import { measure, measureIdle, warmUp } from './measure.mjs';
import { readOptions, usage } from './options.mjs';
import { exceededBounds, printIdle, printReport, setting } from './report.mjs';
import { printPage } from './page.mjs';
import { callPrices } from './prices.mjs';
import { setScene } from './scene.mjs';
import { requirePackages } from './servers.mjs';
import { session } from './session.mjs';
import { works } from './works.mjs';

await session(async (means) => {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return console.log(usage);
  requirePackages(options.servers);
  requireWrk();
  const where = { ...setting(options), ...(await callPrices()) };
  console.log(Object.values(where).join(', '));
  const scene = await setScene(options, means);
  const measureThese = (changes) => measureWorks(scene, { ...options, ...changes, signal: means.signal });
  const samples = await measureThese({});
  printIdle(samples);
  if (options.markdown) printPage(samples);
  if (options.json) await writeFile(options.json, JSON.stringify({ ...where, samples }, null, 2) + '\n');
  if (!options.assert) return 0;
  let exceeded = exceededBounds(samples);
  if (exceeded.length > 0) {
    console.log('\nThese exceeded a bound and are measured again:');
    // A few seconds on a busy machine prove little. The bound of `refused` needs the list in the same run.
    exceeded = exceededBounds(await measureThese({ rounds: 5, works: [...exceeded, 'list'] }));
  }
  if (exceeded.length > 0) console.error(`Above its bound: ${exceeded.join(', ')}`);
  return exceeded.length > 0 ? 1 : 0;
});

async function measureWorks(scene, options) {
  const samples = [];
  if (options.against) {
    // Of the same commit, one process is up to a tenth faster than the next.
    for (let round = 1; round <= options.rounds; round++) {
      const servers = await startAll(scene, shuffled(options.servers));
      await measureRounds(scene, { ...options, servers, rounds: [round] }, samples);
      for (const server of servers) await server.stop();
    }
    for (const name of options.works) printReport(samples, name);
  } else {
    const servers = await startAll(scene, options.servers);
    const rounds = Array.from({ length: options.rounds }, (_, i) => i + 1);
    await measureRounds(scene, { ...options, servers, rounds }, samples);
    for (const server of servers) await server.stop();
  }
  return samples;
}

async function startAll({ start }, names) {
  const servers = [];
  for (const name of names) servers.push(await start(name));
  return servers;
}

/** Each work on each server, round by round. The servers are new, so each work warms them up. */
async function measureRounds({ keys, petIds, orderable, database, redis }, options, samples) {
  const { servers, signal, connections, measureSeconds: seconds, rounds, against } = options;
  const means = { postmaster: database.postmaster, redis, seconds };
  for (const [name, work] of Object.entries(works(petIds, orderable))) {
    if (!options.works.includes(name)) continue;
    const taking = servers.filter((server) => !work.servers || work.servers.includes(server.name));
    const target = ({ origin }) => {
      return { origin, work, keys: keys[work.keys ?? 'unlimited'], connections, signal };
    };
    for (const server of taking)
      await warmUp(server, target(server), work.warmUpRequests ?? options.warmUpRequests);
    if (!servers[0].idle) await measureIdle(servers, signal);
    for (const round of rounds) {
      const sample = async (server) => {
        const { idle } = server;
        samples.push({
          work: name,
          round,
          server: server.name,
          idle,
          ...(await measure(server, target(server), means)),
        });
      };
      // Of the same minutes, a ratio holds even if the host is slow in some of them. PostgreSQL's time is that of all.
      if (options.together) await Promise.all(taking.map(sample));
      else for (const server of against ? shuffled(taking) : taking) await sample(server);
    }
    if (!against) printReport(samples, name);
  }
}

function shuffled(items) {
  const rest = [...items];
  return items.map(() => rest.splice(randomInt(rest.length), 1)[0]);
}
