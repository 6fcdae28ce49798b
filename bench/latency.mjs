import { load, probe } from './load.mjs';
import { median } from './report.mjs';

const CONNECTIONS = [1, 4];
const ROUNDS = 3;
const servers = ['ours', 'fastify'];

/** How long a response takes where few clients ask at a time, and so hardly any statement travels with another. */
export async function measureLatency(scene, works, { loader, seconds, signal }) {
  const taking = scene.servers.filter(({ name }) => servers.includes(name));
  const lines = [];
  for (const [name, work] of Object.entries(works)) {
    for (const connections of CONNECTIONS) {
      const samples = taking.map((server) => ({ work: name, connections, server: server.name, taken: [] }));
      for (let round = 0; round < ROUNDS; round++) {
        for (const [i, { origin }] of taking.entries()) {
          const target = { origin, work, key: scene.keys.unlimited, connections, seconds, signal };
          await probe(target);
          samples[i].taken.push(await load(loader, target));
        }
      }
      for (const { taken, ...line } of samples)
        lines.push({ ...line, p50: median(taken.map((t) => t.p50)), p99: median(taken.map((t) => t.p99)) });
    }
  }
  return lines;
}
