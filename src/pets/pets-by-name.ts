import type { EntityManager } from 'typeorm';
import { findBySql, type Page, pageByKey } from '../platform/index.js';
import type { ListPetsQuery } from './dto/list-pets.query.js';
import { Pet } from './pet.entity.js';

/** What the indexes of the table are made of (migrations/1796000000000-index-pet-names.ts). */
const FOLDED = 'folded_pet_name(name) COLLATE "C"';
/** Follows every name that begins like the one before it: a name has at most 200 characters. */
const AFTER_ALL = 'repeat(chr(1114111), 201)';

/**
 * A page of pets in the order of their folded names, and of `id` where those are equal: by an index, whatever
 * the filter. The at most 100 pets of `ids` are read first, and then sorted.
 */
export async function petsByName(manager: EntityManager, query: ListPetsQuery): Promise<Page<Pet>> {
  const { status, namePrefix, ids, sort = 'name' } = query;
  const isDescending = sort === '-name';
  const [beyond, direction] = isDescending ? ['<', 'DESC'] : ['>', 'ASC'];
  const scope = () => `pets ${JSON.stringify([sort, status, namePrefix, ids?.map(String)])} `;
  const page = await pageByKey(query, scope, (after, take) => {
    const values: unknown[] = [];
    const $ = (value: unknown) => `$${values.push(value)}`;
    const conditions: string[] = [];
    if (status !== undefined) conditions.push(`status = ${$(status)}`);
    if (namePrefix !== undefined && namePrefix !== '') {
      const prefix = `folded_pet_name(${$(namePrefix)})`;
      // The key of a cursor is within the prefix: a second bound of the same side could become the one by
      // which the index is entered.
      if (!after || isDescending) conditions.push(`${FOLDED} >= ${prefix}`);
      if (!after || !isDescending) conditions.push(`${FOLDED} < ${prefix} || ${AFTER_ALL}`);
    }
    if (after) conditions.push(`(${FOLDED}, id) ${beyond} (${$(after.key)}, ${$(after.id)})`);
    const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
    const of = ids ? `WITH pets AS MATERIALIZED (SELECT * FROM pets WHERE id = ANY (${$(ids)})) ` : '';
    const rows = `FROM pets${where} ORDER BY ${FOLDED} ${direction}, id ${direction} LIMIT ${$(take)}`;
    return findBySql(manager, Pet, (columns) => `${of}SELECT ${columns}, ${FOLDED} ${rows}`, values);
  });
  return page.map(({ entity }) => entity);
}
