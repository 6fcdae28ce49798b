// Compares CPU per request of our service and its peers. See tools/bench/README.md.
import { writeFile } from 'node:fs/promises';
import { requireWrk } from './load.mjs';
import { measure } from './measure.mjs';
import { readOptions, usage } from './options.mjs';
import { exceededBounds, printReport, setting } from './report.mjs';
import { setScene } from './scene.mjs';
import { session } from './session.mjs';
import { works } from './works.mjs';

await session(async (means) => {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return console.log(usage);
  requireWrk();
  const where = setting(options);
  console.log(Object.values(where).join(', '));
  const scene = await setScene(options, means);
  const measureThese = (changes) => measureWorks(scene, { ...options, ...changes, signal: means.signal });
  const samples = await measureThese({});
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

async function measureWorks({ servers, keys, petIds, orderable, database, redis }, options) {
  const samples = [];
  for (const [name, work] of Object.entries(works(petIds, orderable))) {
    if (!options.works.includes(name)) continue;
    const taking = servers.filter((server) => !work.servers || work.servers.includes(server.name));
    for (let round = 1; round <= options.rounds; round++) {
      const sample = async (server) => {
        const { signal, connections, measureSeconds: seconds } = options;
        const key = keys[work.key ?? 'unlimited'];
        const target = { origin: server.origin, work, key, connections, signal };
        const warmUpSeconds = warmUp(options, work, samples.length < servers.length, round);
        const means = { postmaster: database.postmaster, redis, warmUpSeconds, seconds };
        samples.push({ work: name, round, server: server.name, ...(await measure(server, target, means)) });
      };
      // Of the same minutes, a ratio holds even if the host is slow in some of them. PostgreSQL's time is that of all.
      if (options.together) await Promise.all(taking.map(sample));
      else for (const server of taking) await sample(server);
    }
    printReport(samples, name);
  }
  return samples;
}

/**
 * A slow server takes long until V8 has optimised it. A work that is new to the server takes less, but longer if it
 * gets fewer requests per second. Any other sample needs little warm-up.
 */
function warmUp({ firstWarmUpSeconds, workWarmUpSeconds, warmUpSeconds }, { warmUps = 1 }, isFirst, round) {
  if (isFirst) return firstWarmUpSeconds * warmUps;
  return round === 1 ? workWarmUpSeconds * warmUps : warmUpSeconds;
}
