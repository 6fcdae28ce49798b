import type { Pool } from 'pg';
import type { Repository } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { Int64 } from '../json/int64.js';
import { writeJson } from '../json/write-json.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { Page } from './page.js';
import type { PageQuery } from './page-query.js';
import { pageStatement } from './page-statement.js';

/**
 * One page of a table in ascending order of `id`, optionally where columns equal given values. Keyset paging:
 * every row is visited once, also while others are added, and page 10 000 costs what page 1 costs.
 * @throws InvalidCursor when the cursor is not of this table and filter.
 */
export async function keysetPage<E extends { id: Int64 }>(
  repository: Repository<E>,
  { limit, cursor }: PageQuery,
  filter: Partial<E> = {},
): Promise<Page<E>> {
  const conditions: [string, unknown][] = Object.entries(filter).filter(([, value]) => value !== undefined);
  const scope = `${repository.metadata.tableName} ${writeJson(conditions)}`;
  const after = cursor === undefined ? [] : [decodeCursor(cursor, scope)];
  const statement = pageStatement(
    repository.metadata,
    conditions.map(([property]) => property),
    after.length > 0,
  );
  // One row more than asked for tells whether a page follows.
  const values = [...conditions.map(([, value]) => value), ...after, limit + 1];
  const { rows } = await pool(repository).query<E>({ ...statement, values });
  const last = rows[limit - 1];
  if (rows.length <= limit || !last) return new Page(rows);
  return new Page(rows.slice(0, limit), encodeCursor(last.id, scope));
}

/** The pool that TypeORM itself uses, so that both share its connections and its limits. */
function pool<E extends { id: Int64 }>({ manager }: Repository<E>): Pool {
  return (manager.dataSource.driver as PostgresDriver).master as Pool;
}
