// pagination/ gives a list its pages, cursors and `Link`. The queries are in `statements`.

import {
  And,
  Equal,
  type FindOptionsOrder,
  FindOperator,
  type FindOptionsWhere,
  LessThan,
  MoreThan,
  QueryFailedError,
} from 'typeorm';
import type { Int64 } from '../../kernel/json/int64.js';
import { writeJson } from '../../kernel/json/write-json.js';
import { checked, findRows, type Readable } from '../../data/statements/find.js';
import {
  decodePosition,
  encodeCursor,
  InvalidCursor,
  Page,
  type PageRequest,
  type Position,
  isFirst,
} from './page.js';
import { findByKey } from '../../data/statements/find-by-key.js';

export type Order = 'ASC' | 'DESC';
type Where<E> = FindOptionsWhere<E> | FindOptionsWhere<E>[];

/** The order of a list. */
export interface KeysetOrder<E> {
  /**
   * Of a request without `sort`: a property whose column is NOT NULL; `id` follows it. By default `id` alone.
   */
  readonly by?: keyof E & string;
  /** Of a request without `sort`; `DESC` is newest first. */
  readonly order?: Order;
}

/**
 * A page of a table in the order of `id`, or of another column and then `id`: that which the request names in
 * `sort`, or else `by`. The optional filter is the `where` of `Repository.find`; undefined properties are
 * ignored. Keyset pagination returns every row once, even while rows are added, and page 10,000 costs the
 * same as page 1, if an index begins with the columns of the filter and ends with those of the order.
 * @param order a cursor is bound to its order if that is not the default one
 * @throws InvalidCursor for a cursor of another table, filter or order
 */
export async function keysetPage<E extends { id: Int64 }>(
  repository: Readable<E>,
  request: PageRequest,
  filter: Where<E> = {},
  order: Order | KeysetOrder<E> = 'ASC',
): Promise<Page<E>> {
  checked(repository);
  const where = Array.isArray(filter) ? filter.map(withoutUndefined) : withoutUndefined(filter);
  const listOrder: KeysetOrder<E> = typeof order === 'string' ? { order } : order;
  const { by, direction } = orderOf(request.sort, listOrder);
  if (by !== undefined && by !== listOrder.by) assertIndexed(repository, by);
  // A list by `id` leaves its own order out, so that older cursors stay valid.
  const isDefault = listOrder.by === undefined && direction === (listOrder.order ?? 'ASC');
  const cursorOrder = by === undefined ? (isDefault ? '' : ` ${direction}`) : ` ${direction} ${by} `;
  const scope = () => scopeOf(repository, where) + cursorOrder;
  if (by !== undefined)
    return (
      await pageByKey(request, scope, (after, take) =>
        findByKey(repository, { where, by, direction, after, take }),
      )
    ).map(({ entity }) => entity);
  return page(
    request,
    scope,
    (after, take) =>
      findRows(repository, {
        where: after === undefined ? where : beyond(where, after.id, direction),
        order: { id: direction } as FindOptionsOrder<E>,
        take,
      }),
    ({ id }) => ({ id, key: '' }),
  );
}

/** A row with the text of what its list is ordered by before `id`. */
export interface Keyed {
  readonly id: Int64;
  readonly key: string;
}

/**
 * A page of rows that a module's own SQL reads, in an order for which `keysetPage` has no option.
 * @param scope what the cursor is bound to: the list, its filter and its order
 * @param read reads `take` rows, or fewer at the end, after a position, in the order of `key` and then `id`
 * @throws InvalidCursor
 */
export const pageByKey = <Row extends Keyed>(
  request: PageRequest,
  scope: () => string,
  read: (after: Position | undefined, take: number) => Promise<Row[]>,
): Promise<Page<Row>> => page(request, scope, read, ({ id, key }) => ({ id, key }));

async function page<Row>(
  { limit, cursor }: PageRequest,
  scope: () => string,
  read: (after: Position | undefined, take: number) => Promise<Row[]>,
  positionOf: (row: Row) => Position,
): Promise<Page<Row>> {
  const after = isFirst(cursor) ? undefined : decodePosition(cursor, scope());
  // The extra row shows whether there is a next page
  const rows = await read(after, limit + 1).catch((error: unknown) => {
    throw after && isOfValue(error) ? new InvalidCursor() : error;
  });
  const last = rows[limit - 1];
  if (rows.length <= limit || !last) return new Page(rows);
  rows.length = limit;
  const { id, key } = positionOf(last);
  return new Page(rows, encodeCursor(id, scope(), key));
}

/**
 * Whether PostgreSQL cannot take a value for its column (class 22): only it knows whether the key of a
 * made-up cursor is a time.
 */
const isOfValue = (error: unknown): boolean =>
  error instanceof QueryFailedError && String((error as { readonly code?: unknown }).code).startsWith('22');

interface Chosen<E> {
  /** Absent for `id` alone. */
  readonly by: (keyof E & string) | undefined;
  readonly direction: Order;
}

function orderOf<E>(sort: string | undefined, { by, order = 'ASC' }: KeysetOrder<E>): Chosen<E> {
  if (sort === undefined) return { by, direction: order };
  const name = sort.replace(/^-/, '');
  return {
    by: name === 'id' ? undefined : (name as keyof E & string),
    direction: name === sort ? 'ASC' : 'DESC',
  };
}

/**
 * @throws TypeError unless an index ends with the column, or with it and `id`: any client may ask for this
 * order
 */
function assertIndexed<E extends { id: Int64 }>({ metadata }: Readable<E>, by: string): void {
  const isInOrder = ({ columns }: { readonly columns: readonly { readonly propertyName: string }[] }) => {
    const names = columns.map(({ propertyName }) => propertyName);
    return (names.at(-1) === 'id' ? names.at(-2) : names.at(-1)) === by;
  };
  if (![...metadata.indices, ...metadata.uniques].some(isInOrder))
    throw new TypeError(
      `The sort of this list names ${metadata.name}.${by}, which needs an index: @Index(['${by}', 'id']).`,
    );
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
  return `${metadata.tableName} ${Object.keys(where).join()} ${writeJson(Object.values(where))}${rawSqlIn(where)}`;
}

/** The SQL of `Raw()` filters, which is a function and so not part of their JSON. */
function rawSqlIn(value: unknown): string {
  if (value instanceof FindOperator && value.getSql)
    return ` ${value.getSql('column')} ${writeJson(value.objectLiteralParameters ?? {})}`;
  if (typeof value !== 'object' || value === null || value instanceof Date) return '';
  return Object.values(value).map(rawSqlIn).join('');
}
