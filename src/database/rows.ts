import type { DeepPartial, FindOptionsWhere, Repository } from 'typeorm';
import type { Int64 } from '../kernel/json/int64.js';
import { viaFastPath } from './pipeline/fast-path.js';

/** `repository.findOneBy({ id })`, by the fast path for a plain entity (docs/performance.md). */
export function findRow<E extends { id: Int64 }>(repository: Repository<E>, id: Int64): Promise<E | null> {
  return viaFastPath(
    repository,
    (table) => table.findById(id),
    () => repository.findOneBy({ id } as FindOptionsWhere<E>),
  );
}

/** `repository.findOne` with the lock `pessimistic_write`, by the fast path for a plain entity. Only in a transaction. */
export function lockRow<E extends { id: Int64 }>(repository: Repository<E>, id: Int64): Promise<E | null> {
  return viaFastPath(
    repository,
    (table) => table.lockById(id),
    () => repository.findOne({ where: { id } as FindOptionsWhere<E>, lock: { mode: 'pessimistic_write' } }),
  );
}

/** `repository.save(repository.create(values))`, by the fast path for a plain entity. */
export function insertRow<E extends { id: Int64 }>(
  repository: Repository<E>,
  values: DeepPartial<NoInfer<E>>,
): Promise<E> {
  return viaFastPath(
    repository,
    (table) => table.insert(values as Partial<E>),
    () => repository.save(repository.create(values)),
  );
}
