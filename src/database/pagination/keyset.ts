import type { Repository } from 'typeorm';
import type { Int64 } from '../../kernel/json/int64.js';
import { writeJson } from '../../kernel/json/write-json.js';
import { decodeCursor, encodeCursor } from '../../kernel/pagination/cursor.js';
import { Page } from '../../kernel/pagination/page.js';
import type { PageQuery } from '../../http/pagination/page-query.js';
import { madeOnce } from '../pipeline/made-once.js';
import { read } from '../pipeline/run-statement.js';
import type { Statement } from '../pipeline/statement.js';
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
  const list = listOf(repository, columns.join(), () => makeList(repository, columns));
  const scope = `${list.name} ${writeJson(values)}`;
  const { name, text } = cursor === undefined ? list.first : list.after;
  if (cursor !== undefined) values.push(decodeCursor(cursor, scope));
  values.push(limit + 1); // one row more than asked for tells whether a page follows
  const rows = await read(repository, { name, text, values });
  const last = rows[limit - 1];
  if (rows.length <= limit || !last) return new Page(rows);
  return new Page(rows.slice(0, limit), encodeCursor(last.id, scope));
}

interface List {
  readonly name: string;
  readonly first: Statement;
  readonly after: Statement;
}

/** What is the same for every page of a table by these columns. */
const listOf = madeOnce<List>();

function makeList<E extends { id: Int64 }>({ metadata }: Repository<E>, columns: readonly string[]): List {
  return {
    name: `${metadata.tableName} ${columns.join()}`,
    first: pageStatement(metadata, columns, false),
    after: pageStatement(metadata, columns, true),
  };
}
