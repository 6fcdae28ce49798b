import { StartupError } from '../../../kernel/config/startup-error.js';
import type { DatabaseCheck } from './database-check.js';

/**
 * The rules by which a write stores another row than PostgreSQL returns. Tables of an extension are left to
 * it.
 */
const RULES = `
  SELECT quote_ident(rulename) AS rule, ev_class::regclass::text AS table
  FROM pg_rewrite JOIN pg_class ON pg_class.oid = ev_class
  WHERE ev_type IN ('2', '3') AND relkind IN ('r', 'p') AND relnamespace = to_regnamespace(quote_ident(current_schema()))
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = ev_class AND deptype = 'e')
  ORDER BY 2, 1 LIMIT 1`;

/** Events, responses and pages rely on PostgreSQL returning what it has stored. */
export const checkStoredValues: DatabaseCheck = async ({ query }) => {
  const [found] = await query<{ rule: string; table: string }>(RULES);
  if (found)
    throw new StartupError(
      `DATABASE_URL: the table ${found.table} has the rule ${found.rule}, so PostgreSQL does not return what it stores.` +
        ` Write a trigger instead, and run: DROP RULE ${found.rule} ON ${found.table}`,
    );
  return [];
};
