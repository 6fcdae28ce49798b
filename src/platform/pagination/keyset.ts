import {
  And,
  Equal,
  type FindOptionsOrder,
  FindOperator,
  type FindOptionsWhere,
  LessThan,
  MoreThan,
  type Repository,
} from 'typeorm';
import type { Int64 } from '../json/int64.js';
import { writeJson } from '../json/write-json.js';
import { findRows } from '../database/find.js';
import { decodeCursor, encodeCursor, Page, type PageRequest } from './page.js';

/**
 * A page of a table in the order of `id`. The optional filter is as for `Repository.find`; undefined properties are
 * ignored. Keyset pagination returns every row once, even while rows are added, and page 10 000 costs the same as page 1.
 * @param order `DESC` is newest first
 * @throws InvalidCursor for a cursor of another table or filter
 */
export async function keysetPage<E extends { id: Int64 }>(
  repository: Repository<E>,
  { limit, cursor }: PageRequest,
  filter: FindOptionsWhere<E> = {},
  order: 'ASC' | 'DESC' = 'ASC',
): Promise<Page<E>> {
  const where = withoutUndefined(filter);
  const scope = () => scopeOf(repository, where);
  const after = cursor === undefined ? undefined : decodeCursor(cursor, scope());
  const rows = await findRows(repository.manager, repository.target, {
    where: after === undefined ? where : { ...where, id: idBeyond(after, order, where.id) },
    order: { id: order } as FindOptionsOrder<E>,
    take: limit + 1, // the extra row shows whether there is a next page
  });
  const last = rows[limit - 1];
  if (rows.length <= limit || !last) return new Page(rows);
  return new Page(rows.slice(0, limit), encodeCursor(last.id, scope()));
}

function idBeyond(after: Int64, order: 'ASC' | 'DESC', id: unknown): FindOperator<Int64> {
  const position = order === 'ASC' ? MoreThan(after) : LessThan(after);
  if (id === undefined) return position;
  return And(position, id instanceof FindOperator ? (id as FindOperator<Int64>) : Equal(id as Int64));
}

function withoutUndefined<T extends object>(filter: T): T {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as T;
}

/** The table and filter that a cursor is bound to. */
function scopeOf<E extends { id: Int64 }>({ metadata }: Repository<E>, where: object): string {
  return `${metadata.tableName} ${Object.keys(where).join()} ${writeJson(Object.values(where))}`;
}
