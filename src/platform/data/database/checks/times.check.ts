import { warn } from '../../../kernel/config/check-result.js';
import type { DatabaseCheck } from './database-check.js';
import { entityTables } from './entity-tables.js';

const WITHOUT_ZONE = `
  SELECT attrelid::regclass || '.' || quote_ident(attname) AS column
  FROM unnest($1::text[]) AS name JOIN pg_attribute
    ON attrelid = to_regclass(quote_ident(current_schema()) || '.' || quote_ident(name))
  WHERE atttypid IN ('timestamp'::regtype, 'timestamp[]'::regtype) AND attnum > 0 AND NOT attisdropped
  ORDER BY 1`;

/**
 * A `timestamp`, TypeORM's default, is written and read in the zone of whoever does it: `now()` in that of the
 * session, a `Date` in that of the process. Where clocks are set back, it keeps one time for two.
 */
export const checkTimes: DatabaseCheck = async ({ query }) => {
  const found = await query<{ column: string }>(WITHOUT_ZONE, [entityTables()]);
  if (found.length === 0) return [];
  const finding = `columns keep times without a zone: ${found.map(({ column }) => column).join(', ')}`;
  const advice = `They mean other times where PostgreSQL and a process have different zones: declare { type: 'timestamptz' }, and write a migration.`;
  return [warn('times', finding, advice)];
};
