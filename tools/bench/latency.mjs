import { load, probe } from './load.mjs';
import { median } from './report.mjs';

/**
 * The cases, with the warm-up in seconds before each. A single request runs through different code than one of many,
 * and V8 optimises that code within some 30 000 requests. Meanwhile, its threads occupy both cores for milliseconds,
 * which would distort the tail.
 */
const CASES = [
  { connections: 1, warmUp: 16 },
  { connections: 4, warmUp: 8 },
  { connections: 16, warmUp: 4 },
];
const ROUNDS = 10;
const servers = ['ours', 'fastify'];

/** Measures response times with so few clients that statements are hardly ever sent together. */
export async function measureLatency(scene, works, { loader, seconds, signal }) {
  const taking = scene.servers.filter(({ name }) => servers.includes(name));
  const common = { key: scene.keys.unlimited, signal };
  const lines = [];
  for (const [name, work] of Object.entries(works)) {
    for (const { connections, warmUp } of CASES) {
      for (const { origin } of taking)
        await load(loader, { ...common, origin, work, connections, seconds: warmUp });
      const samples = taking.map((server) => ({ work: name, connections, server: server.name, taken: [] }));
      for (let round = 0; round < ROUNDS; round++) {
        for (const [i, { origin }] of taking.entries()) {
          const target = { ...common, origin, work, connections, seconds };
          await probe(target);
          samples[i].taken.push(await load(loader, target));
        }
      }
      for (const { taken, ...line } of samples)
        lines.push({ ...line, ...medians(taken, samples.at(-1).taken) });
    }
  }
  return lines;
}

/** Medians of the times, and of their ratios to a peer's times in the same round. */
function medians(taken, peer) {
  const of = (name) => median(taken.map((time) => time[name]));
  const ratio = (name) => median(taken.map((time, round) => time[name] / peer[round][name]));
  return { p50: of('p50'), p99: of('p99'), p50Ratio: ratio('p50'), p99Ratio: ratio('p99') };
}
