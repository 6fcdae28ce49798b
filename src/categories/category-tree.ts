import type { EntityManager } from 'typeorm';
import type { Int64 } from '../platform.js';
import { CategoryCycle, ParentCategoryNotFound } from './category.errors.js';

/** Of an advisory lock, among those of this service. */
const TREE = 7_083_461_293;

/**
 * Lets one transaction at a time move a category below another one, until it ends. Two that each move a category below the other's
 * would otherwise see no cycle, and make one. All other changes leave the tree without cycles as it is, and take no lock.
 * @throws ParentCategoryNotFound, CategoryCycle
 */
export async function lockForMove(manager: EntityManager, id: Int64, parentId: Int64): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock($1)', [TREE]);
  // A separate statement: it sees what was committed before the lock.
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
