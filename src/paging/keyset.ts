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
  const columns: string[] = [];
  const values: unknown[] = [];
  for (const [property, value] of Object.entries(filter)) {
    if (value === undefined) continue;
    columns.push(property);
    values.push(value);
  }
  const { pool, entity } = sourceOf(repository);
  const scope = `${entity.tableName} ${columns.join()} ${writeJson(values)}`;
  const statement = pageStatement(entity, columns, cursor !== undefined);
  if (cursor !== undefined) values.push(decodeCursor(cursor, scope));
  values.push(limit + 1); // one row more than asked for tells whether a page follows
  const { rows } = await pool.query<E>({ name: statement.name, text: statement.text, values });
  const last = rows[limit - 1];
  if (rows.length <= limit || !last) return new Page(rows);
  rows.length = limit;
  return new Page(rows, encodeCursor(last.id, scope));
}

const sources = new WeakMap<object, ReturnType<typeof findSource>>();

/** TypeORM looks these up anew on every access. */
function sourceOf<E extends { id: Int64 }>(repository: Repository<E>) {
  let source = sources.get(repository);
  if (!source) sources.set(repository, (source = findSource(repository)));
  return source;
}

/** The pool is the one that TypeORM itself uses, so that both share its connections and its limits. */
function findSource<E extends { id: Int64 }>({ manager, metadata }: Repository<E>) {
  return { entity: metadata, pool: (manager.dataSource.driver as PostgresDriver).master as Pool };
}
