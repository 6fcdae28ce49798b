import {
  type FindManyOptions,
  type FindOneOptions,
  type FindOptionsWhere,
  type ObjectLiteral,
  Repository,
} from 'typeorm';
import { EntityStatements } from './entity-statements.js';

/** What reads need of a repository. */
export type Readable<Entity extends ObjectLiteral> = Pick<
  Repository<Entity>,
  'find' | 'manager' | 'metadata' | 'target'
>;

/**
 * `Repository.find`, by a prepared statement where the entity and the options allow it. The result is the
 * same.
 */
export async function findRows<Entity extends ObjectLiteral>(
  repository: Readable<Entity>,
  options: FindManyOptions<Entity>,
): Promise<Entity[]> {
  const { manager, target } = checked(repository);
  const isStock = repository.find === Repository.prototype.find; // an author's own may add conditions
  const statements = isStock ? EntityStatements.of(manager.dataSource, target) : undefined;
  const isLockable = options.lock === undefined || manager.queryRunner?.isTransactionActive === true;
  const select = isLockable ? statements?.select(options) : undefined;
  if (statements && select) return statements.run(manager, select);
  return repository.find({ ...options, ...ofItsTable(repository, options) });
}

/** @throws TypeError for an object that has only some methods of a repository, such as a mock */
export function checked<Entity extends ObjectLiteral>(repository: Readable<Entity>): Readable<Entity> {
  if ('metadata' in repository) return repository;
  throw new TypeError(
    'This is no repository. In a unit test, use await mockRepository(Toy, { find }) of test/platform.ts.',
  );
}

/** PostgreSQL cannot lock the nullable side of the outer join that an eager relation makes. */
function ofItsTable<Entity extends ObjectLiteral>(
  { metadata }: Readable<Entity>,
  { lock }: FindManyOptions<Entity>,
): Pick<FindManyOptions<Entity>, 'lock'> {
  if (lock === undefined || 'version' in lock || lock.tables) return {};
  return { lock: { ...lock, tables: [metadata.tableNameWithoutPrefix] } };
}

/**
 * Reads the row with an id, by a prepared statement where the entity allows it.
 * @param options.lock inside a transaction only, which then holds the row until it ends
 */
export async function findById<Entity extends { id: unknown }>(
  repository: Readable<Entity>,
  id: Entity['id'],
  options: Pick<FindOneOptions<Entity>, 'lock'> = {},
): Promise<Entity | null> {
  const where = { id } as FindOptionsWhere<Entity>;
  const [row] = await findRows(repository, { where, ...options });
  return row ?? null;
}
