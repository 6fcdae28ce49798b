import type { EntityManager, FindOptionsOrder } from 'typeorm';
import type { Int64 } from '../json/int64.js';
import { EntityStatements, type KeyOptions } from './entity-statements.js';
import type { Readable } from './find.js';

/** An entity with the text of the property, which is exact: a `Date` has no microseconds. */
interface KeyedEntity<E> {
  readonly id: Int64;
  readonly key: string;
  readonly entity: E;
}

/**
 * Finds rows by a prepared statement where the entity and the filter allow it, otherwise by TypeORM's query builder.
 * @throws TypeError if the column may be NULL: a comparison of rows would leave out such rows
 */
export async function findByKey<E extends { id: Int64 }>(
  repository: Readable<E>,
  options: KeyOptions<E>,
): Promise<KeyedEntity<E>[]> {
  const { manager, target, metadata } = repository;
  const { where, by, direction, take } = options;
  if (!manager || !target || !metadata) {
    // The mock of a unit test
    const order = { [by]: direction, id: direction } as FindOptionsOrder<E>;
    const rows = await repository.find({ where, order, take });
    return rows.map((entity) => ({ id: entity.id, key: String(entity[by]), entity }));
  }
  const column = metadata.findColumnWithPropertyName(by);
  if (column?.isNullable !== false)
    throw new TypeError(
      `keysetPage orders by a column that is NOT NULL, and ${metadata.name}.${by} is not one.`,
    );
  const statements = EntityStatements.of(manager.dataSource, target);
  const select = statements?.selectByKey(options);
  return statements && select ? statements.runByKey(manager, select) : build(manager, target, options);
}

async function build<E extends { id: Int64 }>(
  manager: EntityManager,
  target: NonNullable<Readable<E>['target']>,
  { where, by, direction, after, take }: KeyOptions<E>,
): Promise<KeyedEntity<E>[]> {
  const query = manager
    .createQueryBuilder<E>(target, 'item')
    .setFindOptions({ where })
    .addSelect(`CAST(item.${by} AS text)`, 'item_key')
    .orderBy(`item.${by}`, direction)
    .addOrderBy('item.id', direction)
    .take(take);
  if (after)
    query.andWhere(`(item.${by}, item.id) ${direction === 'ASC' ? '>' : '<'} (:key, :id)`, { ...after });
  const { raw, entities } = await query.getRawAndEntities<{ item_id: Int64; item_key: string }>();
  const keys = new Map(raw.map(({ item_id: id, item_key: key }) => [id, key]));
  return entities.map((entity) => ({ id: entity.id, key: keys.get(entity.id) ?? '', entity }));
}
