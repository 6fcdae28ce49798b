import { randomInt } from 'node:crypto';
import { StartupError } from '../../kernel/config/startup-error.js';
import { withConnection } from './connect-once.js';
import type { PostgresClient } from './pool/postgres-client.js';

const MAX_KEY = 2 ** 31;
/** Locks of two keys are shown with `objsubid` 2, those of all databases of a server together. */
const IS_HELD = `
  SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database AND datname = current_database()
    WHERE locktype = 'advisory' AND objsubid = 2 AND classid = $1::oid AND objid = $2::oid AND granted) AS "isHeld"`;

const schemaOf = async (client: PostgresClient): Promise<string | null> =>
  (await client.query<{ schema: string | null }>('SELECT quote_ident(current_schema()) AS schema')).rows[0]
    ?.schema ?? null;

/**
 * A lock that a transaction holds through `DATABASE_URL` must be seen through `DATABASE_DIRECT_URL`: host names,
 * ports and database names say nothing, because there may be a pooler between them.
 * @throws StartupError if the second leads to another database or schema, or one of them does not respond
 */
export async function requireSameDatabase(url: string, directUrl: string): Promise<void> {
  if (url === directUrl) return;
  const keys = [randomInt(MAX_KEY), randomInt(MAX_KEY)];
  await withConnection(url, (client) =>
    withConnection(directUrl, async (direct) => {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock($1::integer, $2::integer)', keys);
      const { rows } = await direct.query<{ isHeld: boolean }>(IS_HELD, keys);
      const [schema, directSchema] = [await schemaOf(client), await schemaOf(direct)];
      await client.query('ROLLBACK');
      if (rows[0]?.isHeld !== true)
        throw new StartupError(
          'DATABASE_DIRECT_URL leads to another database than DATABASE_URL. Set it to the address of the same database on the same server.',
        );
      if (schema !== directSchema)
        throw new StartupError(
          `DATABASE_DIRECT_URL uses the schema ${directSchema}, and DATABASE_URL the schema ${schema}. Give both the same search_path.`,
        );
    }),
  );
}
