import { measure } from './measure.mjs';
import { createKey, startServer } from './servers.mjs';

/** Starts our service on its own database, with an unlimited key. The session stops it. */
export async function openSide({ node, folder, signal, undo }, url) {
  const server = await startServer('ours', { node, folder, signal, databaseUrl: url });
  undo(server.stop);
  const key = await createKey({ node, databaseUrl: url }, { name: 'bench', perMinute: 1e8, perDay: 1e9 });
  return { url, server, key };
}

/**
 * Measures all works, alternating between the sides in each round.
 * @param of the property of a side with its number of rows, which is copied to each sample
 */
export async function measureSides(sides, of, { loader, database, rounds, signal, ...seconds }) {
  const samples = [];
  for (const name of Object.keys(sides[0].works))
    for (let round = 1; round <= rounds; round++)
      for (const side of sides) {
        const target = { origin: side.server.origin, work: side.works[name], key: side.key, signal };
        const means = { loader, database: { ...database, url: side.url }, ...seconds };
        samples.push({ work: name, [of]: side[of], ...(await measure(side.server, target, means)) });
      }
  return samples;
}
