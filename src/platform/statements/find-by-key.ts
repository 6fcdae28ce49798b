import { type EntityManager, type FindOptionsOrder, Repository } from 'typeorm';
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
 * @throws TypeError if the column may be NULL: a comparison of rows would leave out such rows. If it is hidden: a cursor shows it. If the
 * repository has its own `find`, whose conditions would be missing
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

async function build<E extends { id: Int64 }>(
  manager: EntityManager,
  target: NonNullable<Readable<E>['target']>,
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
