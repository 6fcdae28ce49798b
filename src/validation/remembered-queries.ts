import type { Type } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const MOST_QUERIES = 1_000;
const LONGEST = 200;

/**
 * Queries that were found valid, and the DTO each became. Clients repeat a handful of them, and to check one anew
 * costs more than to answer it from here (docs/performance.md). The DTOs are frozen: requests share them.
 */
export class RememberedQueries {
  private readonly byDto = new Map<Type, LRUCache<string, object>>();

  async get(dto: Type, query: object, check: () => Promise<unknown>): Promise<unknown> {
    const valid = this.queriesOf(dto);
    const key = keyOf(query);
    if (key === undefined) return check();
    const known = valid.get(key);
    if (known) return known;
    const checked = await check();
    if (typeof checked === 'object' && checked !== null) {
      valid.set(key, Object.freeze(checked));
    }
    return checked;
  }

  private queriesOf(dto: Type): LRUCache<string, object> {
    let queries = this.byDto.get(dto);
    if (!queries) this.byDto.set(dto, (queries = new LRUCache({ max: MOST_QUERIES })));
    return queries;
  }
}

/** One text for one query; none for a long one, or one that repeats a parameter and so is seldom valid. */
function keyOf(query: object): string | undefined {
  let key = '';
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    if (typeof value !== 'string') return undefined;
    key += `${name.length}:${name}${value.length}:${value}`; // with the lengths no two queries read the same
  }
  return key.length <= LONGEST ? key : undefined;
}
