import { withClient } from '../bench/database.mjs';
import { LIMIT } from './scene.mjs';

const BATCH = 50_000;

/** Describes the 5xx responses that neither a fault nor a busy machine explains. */
export function unexplained({ unexpected }, machine) {
  return unexpected
    .filter(({ from, to, isDocumented }) => !(isDocumented && machine.wasBusy(from, to)))
    .map(({ what, status, from, to }) => `${what}: ${status} after ${Math.round(to - from)} ms`);
}

/** Describes the windows in which a key exceeded its limit. */
export function exceeded(tally, losses) {
  return [...tally.perWindow()].flatMap(({ key, first, end, count }) => {
    const bound = losses.during((first - 61) * 1000, end * 1000) ? 3 * LIMIT : LIMIT;
    return count > bound ? [`key ${key} until ${end}: ${count} admitted, the bound is ${bound}`] : [];
  });
}

/** The ids of created pets that no longer exist. */
export async function lostPets(url, ids) {
  return withClient(url, async (client) => {
    const lost = [];
    for (let i = 0; i < ids.length; i += BATCH) {
      const { rows } = await client.query(
        `SELECT id::text FROM unnest($1::bigint[]) AS id WHERE NOT EXISTS (SELECT FROM pets WHERE pets.id = id.id)`,
        [ids.slice(i, i + BATCH)],
      );
      lost.push(...rows.map(({ id }) => id));
    }
    return lost;
  });
}
