import { anotherProgram } from '../migrations/rights.js';
import type { DatabaseCheck } from './database-check.js';
import { entityTables } from './entity-tables.js';

const EXISTING = `
  SELECT name, quote_ident(current_schema()) AS schema FROM unnest($1::text[]) AS name
  WHERE to_regclass(quote_ident(current_schema()) || '.' || quote_ident(name)) IS NOT NULL ORDER BY name`;

/** Before the first migration, a table with the name of one of ours is another program's. */
export const checkTables: DatabaseCheck = async ({ query, migrations }) => {
  if (migrations.applied.length > 0) return [];
  const [found] = await query<{ name: string; schema: string }>(EXISTING, [entityTables()]);
  if (found) throw anotherProgram(found.schema, found.name);
  return [];
};
