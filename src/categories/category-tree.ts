import type { EntityManager } from 'typeorm';
import type { Int64 } from '../platform.js';
import { CategoryCycle, ParentCategoryNotFound } from './category.errors.js';

/** The id of the service's advisory lock for moves in the category tree. */
const TREE = 7_083_461_293;

/**
 * Serialises transactions that set a category's parent, until they end. Two concurrent ones that each move a category
 * below the other's would otherwise miss the cycle they create. Other changes cannot create a cycle and take no lock.
 * @throws ParentCategoryNotFound, CategoryCycle
 */
export async function lockForMove(manager: EntityManager, id: Int64, parentId: Int64): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock($1)', [TREE]);
  // This must be a separate statement, so that it sees everything committed before the lock was taken.
  const above = await manager.query<{ isCycle: boolean }[]>(
    `WITH RECURSIVE above AS (
       SELECT id, parent_id FROM categories WHERE id = $1
       UNION SELECT parent.id, parent.parent_id FROM categories parent JOIN above ON parent.id = above.parent_id
     ) SELECT id = $2 AS "isCycle" FROM above`,
    [parentId, id],
  );
  if (above.length === 0) throw new ParentCategoryNotFound(parentId);
  if (above.some(({ isCycle }) => isCycle)) throw new CategoryCycle(id);
}
