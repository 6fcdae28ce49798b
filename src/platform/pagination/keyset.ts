import {
  And,
  Equal,
  type FindOptionsOrder,
  FindOperator,
  type FindOptionsWhere,
  LessThan,
  MoreThan,
} from 'typeorm';
import type { Int64 } from '../json/int64.js';
import { writeJson } from '../json/write-json.js';
import { findRows, type Readable } from '../statements/find.js';
import { decodeCursor, encodeCursor, Page, type PageRequest } from './page.js';

type Order = 'ASC' | 'DESC';
type Where<E> = FindOptionsWhere<E> | FindOptionsWhere<E>[];

/**
 * A page of a table in the order of `id`. The optional filter is the `where` of `Repository.find`; undefined properties are
 * ignored. Keyset pagination returns every row once, even while rows are added, and page 10,000 costs the same as page 1.
 * @param defaultOrder of a request without `sort`; `DESC` is newest first. A cursor is bound to its order if it is not this one.
 * @throws InvalidCursor for a cursor of another table, filter or order
 */
export async function keysetPage<E extends { id: Int64 }>(
  repository: Readable<E>,
  { limit, cursor, sort }: PageRequest,
  filter: Where<E> = {},
  defaultOrder: Order = 'ASC',
): Promise<Page<E>> {
  const where = Array.isArray(filter) ? filter.map(withoutUndefined) : withoutUndefined(filter);
  const order = sort === undefined ? defaultOrder : sort === 'id' ? 'ASC' : 'DESC';
  const scope = () => `${scopeOf(repository, where)}${order === defaultOrder ? '' : ` ${order}`}`;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, scope());
  const rows = await findRows(repository, {
    where: after === undefined ? where : beyond(where, after, order),
    order: { id: order } as FindOptionsOrder<E>,
    take: limit + 1, // the extra row shows whether there is a next page
  });
  const last = rows[limit - 1];
  if (rows.length <= limit || !last) return new Page(rows);
  rows.length = limit;
  return new Page(rows, encodeCursor(last.id, scope()));
}

function beyond<E extends { id: Int64 }>(where: Where<E>, after: Int64, order: Order): Where<E> {
  if (!Array.isArray(where)) return { ...where, id: idBeyond(after, order, where.id) };
  return where.map((one) => beyond(one, after, order) as FindOptionsWhere<E>);
}

function idBeyond(after: Int64, order: Order, id: unknown): FindOperator<Int64> {
  const position = order === 'ASC' ? MoreThan(after) : LessThan(after);
  if (id === undefined) return position;
  return And(position, id instanceof FindOperator ? (id as FindOperator<Int64>) : Equal(id as Int64));
}

/** Also in nested objects, such as those of relations and embedded columns. */
function withoutUndefined<T extends object>(filter: T): T {
  const defined: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(filter) as [string, unknown][])
    if (value !== undefined) defined[name] = isPlainObject(value) ? withoutUndefined(value) : value;
  return defined as T;
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The table and filter that a cursor is bound to. */
function scopeOf<E extends { id: Int64 }>({ metadata }: Readable<E>, where: object): string {
  return `${metadata?.tableName ?? ''} ${Object.keys(where).join()} ${writeJson(Object.values(where))}${rawSqlIn(where)}`;
}

/** The SQL of `Raw()` filters, which is a function and so not part of their JSON. */
function rawSqlIn(value: unknown): string {
  if (value instanceof FindOperator && value.getSql)
    return ` ${value.getSql('column')} ${writeJson(value.objectLiteralParameters ?? {})}`;
  if (typeof value !== 'object' || value === null || value instanceof Date) return '';
  return Object.values(value).map(rawSqlIn).join('');
}
