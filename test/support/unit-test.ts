import { Global, Module } from '@nestjs/common';
import {
  DataSource,
  type EntityTarget,
  getMetadataArgsStorage,
  type ObjectLiteral,
  type Repository,
} from 'typeorm';
import { PublicUrl } from '../../src/platform/http/core/public-url.js';
import { IdempotentRequests } from '../../src/platform/writes/idempotency/idempotent-requests.js';
import { Changes, Clock, ErrorMappers } from '../../src/platform/index.js';
import { TestClock } from './test-clock.js';

/** What Nest needs to construct a controller or a filter of a feature. A unit test calls its methods, and no guard, pipe or interceptor. */
@Global()
@Module({
  providers: [
    { provide: Clock, useClass: TestClock },
    { provide: PublicUrl, useValue: { base: 'http://petstore.test' } },
    { provide: IdempotentRequests, useValue: {} },
    { provide: Changes, useValue: {} },
    ErrorMappers,
  ],
  exports: [Clock, PublicUrl, IdempotentRequests, Changes, ErrorMappers],
})
export class UnitTestModule {}

/** A repository without a database, with methods of the test in place of its own: `mockRepository(Toy, { find: jest.fn() })`. */
export async function mockRepository<E extends ObjectLiteral, Mock extends Partial<Repository<E>>>(
  entity: EntityTarget<E>,
  mock: Mock,
): Promise<Repository<E> & Mock> {
  const dataSource = new DataSource({ type: 'postgres', entities: [...relatedTo(entity)] as string[] });
  // eslint-disable-next-line @typescript-eslint/dot-notation -- it is protected; otherwise only connecting does it
  await dataSource['buildMetadatas']();
  return Object.assign(dataSource.getRepository(entity), mock);
}

/** The class and those that its relations lead to, also from an embedded class or one that it extends: TypeORM needs all. */
function relatedTo(entity: unknown, found = new Set<unknown>()): Set<unknown> {
  if (found.has(entity)) return found;
  found.add(entity);
  const { relations, embeddeds, tables } = getMetadataArgsStorage();
  for (const { target, type } of [...relations, ...embeddeds]) {
    if (entity !== target && !isSubclass(entity, target)) continue;
    const other: unknown = typeof type === 'function' ? (type as () => unknown)() : type;
    const isOther = ({ target }: { target: unknown }) =>
      typeof target === 'function' && target.name === other;
    // Other suites of this process may have classes of the same name.
    const others = typeof other === 'string' ? tables.filter(isOther).map(({ target }) => target) : [other];
    for (const one of others) relatedTo(one, found);
  }
  return found;
}

const isSubclass = (entity: unknown, parent: unknown): boolean =>
  typeof entity === 'function' && typeof parent === 'function' && entity.prototype instanceof parent;
