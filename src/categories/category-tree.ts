import type { EntityManager } from 'typeorm';
import type { Int64 } from '../kernel/json/int64.js';
import { Category } from './category.entity.js';
import { CategoryCycle, ParentCategoryNotFound } from './category.errors.js';

/** Of an advisory lock, among those of this service. */
const TREE = 7_083_461_293;

/**
 * Lets one transaction at a time change categories. Two that each move a category below the other's would otherwise see no
 * cycle, and make one. Changes of categories are rare; reading takes no lock.
 */
export async function lockTree(manager: EntityManager): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock($1)', [TREE]);
}

/**
 * Checks a parent while the tree is locked.
 * @param child the category that is to go below it, unless that is new
 * @throws ParentCategoryNotFound, CategoryCycle
 */
export async function expectParent(manager: EntityManager, parentId: Int64, child?: Int64): Promise<void> {
  if (!(await manager.existsBy(Category, { id: parentId }))) throw new ParentCategoryNotFound(parentId);
  if (child === undefined) return;
  const above = await manager.query<unknown[]>(
    `WITH RECURSIVE above AS (
       SELECT id, parent_id FROM categories WHERE id = $1
       UNION SELECT parent.id, parent.parent_id FROM categories parent JOIN above ON parent.id = above.parent_id
     ) SELECT FROM above WHERE id = $2`,
    [parentId, child],
  );
  if (above.length > 0) throw new CategoryCycle(child);
}
