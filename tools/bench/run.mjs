// Compares CPU per request of our service and its peers. See tools/bench/README.md.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { again } from './again.mjs';
import { exceededBounds } from './bounds.mjs';
import { measureLatency } from './latency.mjs';
import { defaultLoader } from './load.mjs';
import { measure } from './measure.mjs';
import { readOptions, usage } from './options.mjs';
import { printLatency, printReport, setting, summarize, warnOfStrangers } from './report.mjs';
import { setScene } from './scene.mjs';
import { session } from './session.mjs';
import { works } from './works.mjs';

/** Rounds for repeating works that exceeded their bound. */
const AGAIN = 5;

await session(async (means) => {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return console.log(usage);
  const loader = options.loader ?? defaultLoader();
  const where = { ...setting(options), loader };
  console.log(Object.values(where).join(', '));
  const scene = await setScene(options, means);
  const samples = await measureWorks(scene, { ...options, loader, signal: means.signal });
  const latency = options.latency ? await latencies(scene, { ...options, loader, signal: means.signal }) : [];
  const result = { ...where, samples, latency };
  if (options.json) await writeFile(options.json, JSON.stringify(result, null, 2) + '\n');
  if (options.quotas) await print(options.node, 'quotas.mjs');
  if (options.exactness) await print(options.node, 'exactness.mjs');
  return options.assert ? judge(result, onceMore) : 0;

  /** Selects works to measure again. The bound of `refused` needs the list in the same run. */
  function onceMore(names) {
    const works = names.includes('refused') ? [...names, 'list'] : names;
    return measureWorks(scene, { ...options, rounds: AGAIN, works, loader, signal: means.signal });
  }
});

async function measureWorks({ servers, keys, petIds, orderable, database, redis }, options) {
  const samples = [];
  for (const [name, work] of Object.entries(works(petIds, orderable))) {
    if (!options.works.includes(name)) continue;
    const taking = servers.filter((server) => !work.servers || work.servers.includes(server.name));
    for (let round = 1; round <= options.rounds; round++) {
      for (const server of taking) {
        const { signal, loader, measureSeconds: seconds } = options;
        const target = { origin: server.origin, work, key: keys[work.key ?? 'unlimited'], signal };
        const warmUpSeconds = warmUp(options, work, samples.length < servers.length, round);
        const means = { loader, database, redis, warmUpSeconds, seconds };
        const sample = await again(() => measure(server, target, means));
        samples.push({ work: name, round, server: server.name, ...sample });
      }
    }
    printReport(name, summarize(samples, name));
    warnOfStrangers(samples, name);
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

async function latencies(scene, options) {
  const { list, 'get-varied': get, create } = works(scene.petIds);
  const lines = await measureLatency(scene, { list, 'get-varied': get, create }, { ...options, seconds: 1 });
  printLatency(lines);
  return lines;
}

/** Scripts that are separate programs also run here, with the Node.js to be measured. */
async function print(node, script) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { stdout } = await promisify(execFile)(node, [path]);
  console.log(`\n${stdout.trimEnd()}`);
}

/** Works that exceed a bound are measured again, because a few seconds on a busy machine prove little. */
async function judge({ node, samples }, again) {
  let exceeded = exceededBounds(node, samples);
  if (exceeded.length > 0) {
    console.log('\nThese exceeded a bound and are measured again:');
    exceeded = exceededBounds(node, await again(exceeded.map(({ work }) => work)));
  }
  for (const { line } of exceeded) console.error(line);
  return exceeded.length > 0 ? 1 : 0;
}
