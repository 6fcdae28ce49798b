import {
  And,
  Equal,
  type FindOptionsOrder,
  FindOperator,
  type FindOptionsWhere,
  MoreThan,
  type Repository,
} from 'typeorm';
import type { Int64 } from '../../kernel/json/int64.js';
import { writeJson } from '../../kernel/json/write-json.js';
import { decodeCursor, encodeCursor } from '../../kernel/pagination/cursor.js';
import { Page, type PageRequest } from '../../kernel/pagination/page.js';
import { viaFastPath } from '../pipeline/fast-path.js';

/**
 * One page of a table in ascending order of `id`, optionally of the rows that match a filter, as for
 * `Repository.find`. Properties that are undefined are left out of it. Keyset paging: every row is visited once, also
 * while others are added, and page 10 000 costs what page 1 costs.
 * @throws InvalidCursor when the cursor is not of this table and filter.
 */
export async function keysetPage<E extends { id: Int64 }>(
  repository: Repository<E>,
  { limit, cursor }: PageRequest,
  filter: FindOptionsWhere<E> = {},
): Promise<Page<E>> {
  const where = withoutUndefined(filter);
  const scope = () => scopeOf(repository, where);
  const after = cursor === undefined ? undefined : decodeCursor(cursor, scope());
  const page = { where, after, limit: limit + 1 }; // one row more than asked for tells whether a page follows
  const rows = await viaFastPath(
    repository,
    (table) => table.findPage(page),
    () => findPage(repository, page),
  );
  const last = rows[limit - 1];
  if (rows.length <= limit || !last) return new Page(rows);
  return new Page(rows.slice(0, limit), encodeCursor(last.id, scope()));
}

interface PageOf<E> {
  readonly where: FindOptionsWhere<E>;
  readonly after: Int64 | undefined;
  readonly limit: number;
}

function findPage<E extends { id: Int64 }>(
  repository: Repository<E>,
  { where, after, limit }: PageOf<E>,
): Promise<E[]> {
  return repository.find({
    where: after === undefined ? where : { ...where, id: beyond(after, where.id) },
    order: { id: 'ASC' } as FindOptionsOrder<E>,
    take: limit,
  });
}

function beyond(after: Int64, id: unknown): FindOperator<Int64> {
  if (id === undefined) return MoreThan(after);
  return And(MoreThan(after), id instanceof FindOperator ? (id as FindOperator<Int64>) : Equal(id as Int64));
}

function withoutUndefined<T extends object>(filter: T): T {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as T;
}

/** What a cursor is bound to. */
function scopeOf<E extends { id: Int64 }>({ metadata }: Repository<E>, where: object): string {
  return `${metadata.tableName} ${Object.keys(where).join()} ${writeJson(Object.values(where))}`;
}
