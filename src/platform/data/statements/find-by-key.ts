import { type EntityManager, type EntityTarget, type FindOptionsWhere, In, Repository } from 'typeorm';
import type { Int64 } from '../../kernel/json/int64.js';
import { EntityStatements, type KeyOptions } from './entity-statements.js';
import type { Readable } from './find.js';
import { runNamed } from './run-named.js';

/** An entity with the text of the property, which is exact: a `Date` has no microseconds. */
export interface KeyedEntity<E> {
  readonly id: Int64;
  readonly key: string;
  readonly entity: E;
}

/**
 * Finds rows by a prepared statement where the entity and the filter allow it, otherwise by TypeORM's query
 * builder.
 * @throws TypeError if the column may be NULL: a comparison of rows would leave out such rows. If it is
 *   hidden: a cursor shows it. If the repository has its own `find`, whose conditions would be missing
 */
export async function findByKey<E extends { id: Int64 }>(
  repository: Readable<E>,
  options: KeyOptions<E>,
): Promise<KeyedEntity<E>[]> {
  const { manager, target, metadata } = repository;
  const { by } = options;
  const column = metadata.findColumnWithPropertyName(by);
  if (column?.isNullable !== false)
    throw new TypeError(
      `keysetPage orders by a column that is NOT NULL, and ${metadata.name}.${by} is not one.`,
    );
  if (!column.isSelect)
    throw new TypeError(
      `keysetPage does not order by ${metadata.name}.${by}, which is hidden: a cursor shows it.`,
    );
  if (repository.find !== Repository.prototype.find)
    throw new TypeError(
      `keysetPage with "by" does not call the repository's own find(). Pass its conditions of ${metadata.name} as the filter.`,
    );
  const statements = EntityStatements.of(manager.dataSource, target);
  const select = statements?.selectByKey(options);
  return statements && select ? statements.runByKey(manager, select) : build(manager, target, options);
}

/**
 * Finds rows by a module's own SQL, for `pageByKey`: by a prepared statement, if the entity allows it.
 * @param sql one of few texts: each has a plan on each connection. It gets the columns of the entity, and
 *   selects behind them the text of what the rows are ordered by: `SELECT ${columns}, lower(name) FROM pets
 *   WHERE …`. What varies belongs into `values`
 *   It only reads: an entity with relations takes several statements, which see one snapshot and wait for nothing
 * @returns the entities, in the order of the statement, soft-deleted ones as well: the SQL says which
 * @throws QueryFailedError
 * @throws Error if TypeORM does not find an entity that the SQL selects: a list would end there
 */
export async function findBySql<E extends { id: Int64 }>(
  manager: EntityManager,
  target: EntityTarget<E>,
  sql: (columns: string) => string,
  values: readonly unknown[],
): Promise<KeyedEntity<E>[]> {
  const statements = EntityStatements.of(manager.dataSource, target);
  if (statements) return statements.runByKey(manager, statements.selectBySql(sql, values));
  const read = (inside: EntityManager) => findByIds(inside, target, sql, values);
  if (manager.queryRunner) return read(manager); // a connection of the caller's, with a transaction or without
  return manager.transaction('REPEATABLE READ', read); // a row that is removed meanwhile is still read
}

/** Reads an entity that is left to TypeORM by several statements. */
async function findByIds<E extends { id: Int64 }>(
  manager: EntityManager,
  target: EntityTarget<E>,
  sql: (columns: string) => string,
  values: readonly unknown[],
): Promise<KeyedEntity<E>[]> {
  const metadata = manager.dataSource.getMetadata(target);
  const id = metadata.findColumnWithPropertyName('id')?.databaseName ?? 'id';
  const text = sql(manager.dataSource.driver.escape(id));
  const found = (await runNamed(manager, { query: { text, rowMode: 'array' }, values })) as [Int64, string][];
  const entities = new Map<string, E>();
  const read = async (withDeleted: boolean): Promise<void> => {
    const ids = found.map(([id]) => id).filter((id) => !entities.has(String(id)));
    if (ids.length === 0) return;
    const where = { id: In(ids) } as FindOptionsWhere<E>;
    for (const entity of await manager.find(target, { where, withDeleted }))
      entities.set(String(entity.id), entity);
  };
  await read(false);
  if (metadata.deleteDateColumn) await read(true); // only those: it shows soft-deleted relations, too
  return found.map(([id, key]) => {
    const entity = entities.get(String(id));
    if (entity) return { id, key, entity };
    throw new Error(
      `The SQL of findBySql selects ${metadata.name} ${id}, but find() does not: the SQL lacks a condition of the entity, or the row was removed meanwhile.`,
    );
  });
}

async function build<E extends { id: Int64 }>(
  manager: EntityManager,
  target: EntityTarget<E>,
  { where, by, direction, after, take }: KeyOptions<E>,
): Promise<KeyedEntity<E>[]> {
  const query = manager
    .createQueryBuilder<E>(target, 'item')
    .setFindOptions({ where })
    .addSelect(`CAST(item.${by} AS text)`, KEY)
    .addSelect('CAST(item.id AS text)', ID)
    .orderBy(`item.${by}`, direction)
    .addOrderBy('item.id', direction)
    .take(take);
  if (after)
    query.andWhere(`(item.${by}, item.id) ${direction === 'ASC' ? '>' : '<'} (:keysetKey, :keysetId)`, {
      keysetKey: after.key,
      keysetId: after.id,
    });
  const { raw, entities } = await query.getRawAndEntities<{ [KEY]: string; [ID]: string }>();
  const keys = new Map(raw.map((row) => [row[ID], row[KEY]])); // an entity has several rows if it has joined ones
  const positions = [...keys];
  return entities.map((entity, i) => {
    const [id = '', key = ''] = positions[i] ?? [];
    return { id: BigInt(id), key, entity };
  });
}

/** Those of TypeORM begin with `item_`. */
const KEY = 'the key';
const ID = 'the id';
