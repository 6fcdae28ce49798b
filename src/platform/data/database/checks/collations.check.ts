import { warn } from '../../../kernel/config/check-result.js';
import type { DatabaseCheck } from './database-check.js';

/**
 * Indexes that rely on a collation, by themselves or by a function in their expression, and the version that
 * they were built with: that in their comment, otherwise the one that the database was created with. Only the
 * owner of a collation can refresh that.
 */
const OUTDATED = `
  WITH used (index, collation_oid) AS (
    SELECT objid, refobjid FROM pg_depend
    WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_collation'::regclass
    UNION
    SELECT of_index.objid, of_function.refobjid FROM pg_depend AS of_index JOIN pg_depend AS of_function
      ON of_function.classid = 'pg_proc'::regclass AND of_function.objid = of_index.refobjid
    WHERE of_index.classid = 'pg_class'::regclass AND of_index.refclassid = 'pg_proc'::regclass
      AND of_function.refclassid = 'pg_collation'::regclass
  )
  SELECT indexrelid::regclass::text AS index, built, actual
  FROM used JOIN pg_index ON indexrelid = used.index JOIN pg_class ON pg_class.oid = indexrelid
    JOIN pg_collation ON pg_collation.oid = used.collation_oid,
    pg_collation_actual_version(pg_collation.oid) AS actual,
    coalesce(substring(obj_description(indexrelid, 'pg_class') FROM 'collation version (\\S+)'), collversion) AS built
  WHERE relnamespace = to_regnamespace(quote_ident(current_schema())) AND built <> actual
  ORDER BY 1`;

/**
 * A library of another version, such as ICU, may order or fold a text otherwise than when an index was built:
 * rows are not found.
 */
export const checkCollations: DatabaseCheck = async ({ query }) => {
  const found = await query<{ index: string; built: string; actual: string }>(OUTDATED);
  const [first] = found;
  if (!first) return [];
  const indexes = found.map(({ index }) => index).join(' and ');
  const finding = `${indexes} rely on version ${first.built} of a collation, and PostgreSQL has ${first.actual} now`;
  return [warn('collations', finding, 'Rebuild them: docs/running.md, "After an upgrade of ICU".')];
};
