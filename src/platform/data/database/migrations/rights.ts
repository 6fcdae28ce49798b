import { StartupError } from '../../../kernel/config/startup-error.js';
import type { PostgresClient } from '../pool/postgres-client.js';
import { service } from '../../../kernel/config/service.js';

/** What the role of the connection may do, and what it finds. Names are quoted where SQL needs it. */
interface Rights {
  readonly role: string;
  readonly searchPath: string;
  /** Where tables are created; null if no schema of the search path exists. */
  readonly schema: string | null;
  readonly mayCreate: boolean;
  /** Whether there is a table `migrations` that TypeORM has not made. */
  readonly isForeign: boolean;
  /** The owner of the tables; null before the first migration. */
  readonly owner: string | null;
  /** Whether the role may do what the owner may. */
  readonly isOwner: boolean;
  /**
   * The tables of the owner, but for those of extensions, that the role may not use; of `migrations` it needs
   * to read only.
   */
  readonly closed: readonly string[];
}

const RIGHTS = `
  WITH made AS (SELECT oid, relowner, relnamespace FROM pg_class WHERE oid = to_regclass('migrations'))
  SELECT quote_ident(current_user) AS role, current_setting('search_path') AS "searchPath", quote_ident(current_schema()) AS schema,
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate",
    EXISTS (SELECT FROM made) AND 3 > (SELECT count(*) FROM made JOIN pg_attribute ON attrelid = oid
      WHERE attname IN ('id', 'timestamp', 'name') AND NOT attisdropped) AS "isForeign",
    (SELECT quote_ident(pg_get_userbyid(relowner)) FROM made) AS owner,
    coalesce((SELECT pg_has_role(relowner, 'USAGE') FROM made), true) AS "isOwner",
    ARRAY(SELECT pg_class.oid::regclass::text FROM made JOIN pg_class USING (relowner, relnamespace)
      WHERE relkind IN ('r', 'p') AND NOT CASE pg_class.oid WHEN made.oid THEN has_table_privilege(pg_class.oid, 'SELECT')
        ELSE has_table_privilege(pg_class.oid, 'SELECT') AND has_table_privilege(pg_class.oid, 'INSERT')
          AND has_table_privilege(pg_class.oid, 'UPDATE') AND has_table_privilege(pg_class.oid, 'DELETE') END
        AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
      ORDER BY 1) AS closed`;

/** @throws StartupError if the role cannot use a schema, or what is in it belongs to another program */
export async function readRights(client: PostgresClient): Promise<Rights> {
  const { rows } = await client.query<Rights>(RIGHTS);
  const [rights] = rows as [Rights]; // a SELECT without FROM
  if (rights.schema === null)
    throw new StartupError(
      `DATABASE_URL: the search_path ${rights.searchPath} has no schema that the role ${rights.role} may use.` +
        ` Create it, or run: GRANT USAGE, CREATE ON SCHEMA public TO ${rights.role}`,
    );
  if (rights.isForeign) throw anotherProgram(rights.schema);
  return rights;
}

export const anotherProgram = (schema: string | null, table = 'migrations'): StartupError =>
  new StartupError(
    `DATABASE_URL: the table ${table}${schema === null ? '' : ` in the schema ${schema}`} belongs to another program. Give the service a database of its own.`,
  );

/** @throws StartupError if the role may not use the tables */
export function requireUse({ role, schema, closed }: Rights): void {
  if (closed.length === 0) return;
  const more = closed.length > 1 ? ` and ${closed.length - 1} more tables` : '';
  throw new StartupError(
    `DATABASE_URL: the role ${role} may not use the table ${closed[0]}${more}.` +
      ` Run: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
  );
}

/** Why the role could not apply pending migrations; undefined if it could. */
export function whyNotMigrate({ role, schema, mayCreate, owner, isOwner }: Rights): string | undefined {
  if (!isOwner)
    return `DATABASE_URL: the tables belong to the role ${owner}, so ${role} may not change them. Run ${service().program} migrate as ${owner}, or: GRANT ${owner} TO ${role}`;
  if (!mayCreate)
    return `DATABASE_URL: the role ${role} may not create tables in the schema ${schema}. Run: GRANT CREATE ON SCHEMA ${schema} TO ${role}`;
  return undefined;
}
