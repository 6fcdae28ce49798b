import { setTimeout as sleep } from 'node:timers/promises';
import { sql, withClient } from './database.mjs';

/** Changes keys, each in a separate transaction, like separate commands would. */
export async function changeKeys(url, perSecond, seconds) {
  await sql(
    url,
    `INSERT INTO api_keys (name, plan, hash, prefix, last_four)
     SELECT 'storm ' || n, 'free', sha256(n::text::bytea), 'petstore_', '0000' FROM generate_series(1, 100) AS n`,
  );
  const [{ ids }] = await sql(url, 'SELECT array_agg(id) AS ids FROM api_keys');
  await withClient(url, async (client) => {
    const begin = performance.now();
    for (let i = 0; i < perSecond * seconds; i++) {
      const ahead = (i / perSecond) * 1000 - (performance.now() - begin);
      if (ahead > 1) await sleep(ahead);
      await client.query(`UPDATE api_keys SET name = $2 WHERE id = $1`, [ids[i % ids.length], `storm ${i}`]);
    }
  });
}
