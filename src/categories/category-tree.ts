import type { Changes, Int64 } from '../platform/index.js';
import { CategoryCycle, ParentCategoryNotFound } from './category.errors.js';

/** The id of the service's advisory lock for changes of categories. */
const CATEGORIES = 7_083_461_293;

/**
 * Serialises moves in the tree until their transactions end. Two concurrent ones could otherwise create a
 * cycle that neither sees.
 */
export async function lockCategories({ manager }: Changes): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock($1)', [CATEGORIES]);
}

/**
 * Call it after `lockCategories`, to see everything committed before.
 * @throws ParentCategoryNotFound, CategoryCycle
 */
export async function assertNoCycle({ manager }: Changes, id: Int64, parentId: Int64): Promise<void> {
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
