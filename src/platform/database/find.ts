import {
  EntityManager,
  type EntityTarget,
  type FindManyOptions,
  type FindOneOptions,
  type FindOptionsWhere,
  type ObjectLiteral,
  type Repository,
} from 'typeorm';
import { EntityStatements } from './entity-statements.js';

/** `EntityManager.find`, by a prepared statement where the entity and the options allow it. The result is the same. */
export async function findRows<Entity extends ObjectLiteral>(
  manager: EntityManager,
  target: EntityTarget<Entity>,
  options: FindManyOptions<Entity>,
): Promise<Entity[]> {
  const statements = EntityStatements.of(manager.dataSource, target);
  const isLockable = options.lock === undefined || manager.queryRunner?.isTransactionActive === true;
  const select = isLockable ? statements?.select(options) : undefined;
  if (statements && select) return statements.run(manager, select);
  return manager.find(target, { ...options, ...ofItsTable(manager, target, options) });
}

/** PostgreSQL cannot lock the nullable side of the outer join that an eager relation makes. */
function ofItsTable<Entity extends ObjectLiteral>(
  manager: EntityManager,
  target: EntityTarget<Entity>,
  { lock }: FindManyOptions<Entity>,
): Pick<FindManyOptions<Entity>, 'lock'> {
  if (lock === undefined || 'version' in lock || lock.tables) return {};
  return { lock: { ...lock, tables: [manager.dataSource.getMetadata(target).tableNameWithoutPrefix] } };
}

/**
 * Reads the row with an id, by a prepared statement where the entity allows it.
 * @param options.lock inside a transaction only, which then holds the row until it ends
 */
export async function findById<Entity extends { id: unknown }>(
  { manager, target }: Pick<Repository<Entity>, 'manager' | 'target'>,
  id: Entity['id'],
  options: Pick<FindOneOptions<Entity>, 'lock'> = {},
): Promise<Entity | null> {
  const where = { id } as FindOptionsWhere<Entity>;
  const [row] = await findRows(manager, target, { where, ...options });
  return row ?? null;
}
