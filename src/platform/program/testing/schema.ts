import { withClient } from './test-server.js';

/** An object created by migrations. The table of applied migrations is excluded. */
export interface SchemaItem {
  readonly kind: 'column' | 'constraint' | 'index' | 'trigger' | 'function';
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** PostgreSQL 18 stores NOT NULL as a named constraint. It is excluded, because the columns already show it. */
const SCHEMA = `
  WITH tables AS (
    SELECT oid, relname FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'migrations')
  SELECT 'column' AS kind, relname AS table, attname AS name,
         concat_ws(' ', format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'not null' END,
                   attidentity, pg_get_expr(adbin, adrelid)) AS definition
    FROM pg_attribute JOIN tables ON attrelid = tables.oid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
   WHERE attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT 'constraint', relname, conname, pg_get_constraintdef(pg_constraint.oid)
    FROM pg_constraint JOIN tables ON conrelid = tables.oid WHERE contype <> 'n'
  UNION ALL
  SELECT 'index', relname, indexrelid::regclass::text, pg_get_indexdef(indexrelid)
    FROM pg_index JOIN tables ON indrelid = tables.oid
  UNION ALL
  SELECT 'trigger', relname, tgname, pg_get_triggerdef(pg_trigger.oid)
    FROM pg_trigger JOIN tables ON tgrelid = tables.oid WHERE NOT tgisinternal
  UNION ALL
  SELECT 'function', '', proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  ORDER BY 1, 2, 3`;

/** The contents of a database schema, in a comparable order. */
export function describeSchema(url: string): Promise<SchemaItem[]> {
  return withClient(url, async (client) => (await client.query<SchemaItem>(SCHEMA)).rows);
}

/** The applied migrations of a database, oldest first. */
export function appliedMigrations(url: string): Promise<string[]> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
    return rows.map(({ name }) => name);
  });
}
