/** Rows of one statement that deletes many: it holds their locks for milliseconds. */
const BATCH = 1_000;

/**
 * Deletes rows until none are left.
 * @param remove deletes at most so many, and returns how many it has deleted
 */
export async function inBatches(remove: (limit: number) => Promise<number>): Promise<void> {
  while ((await remove(BATCH)) === BATCH);
}
