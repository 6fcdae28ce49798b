import { Global, Module } from '@nestjs/common';
import { DataSource, type EntityTarget, type ObjectLiteral, type Repository } from 'typeorm';
import { PublicUrl } from '../../src/platform/http/public-url.js';
import { IdempotentRequests } from '../../src/platform/idempotency/idempotent-requests.js';
import { Changes, Clock } from '../../src/platform/index.js';
import { TestClock } from './test-clock.js';

/** What Nest needs to construct a controller of a feature. A unit test calls its methods, and no guard, pipe or interceptor. */
@Global()
@Module({
  providers: [
    { provide: Clock, useClass: TestClock },
    { provide: PublicUrl, useValue: { base: 'http://petstore.test' } },
    { provide: IdempotentRequests, useValue: {} },
    { provide: Changes, useValue: {} },
  ],
  exports: [Clock, PublicUrl, IdempotentRequests, Changes],
})
export class UnitTestModule {}

/**
 * A repository without a database, with methods of the test in place of its own: `mockRepository(Toy, { find: jest.fn() })`.
 * @param related the entities that the relations of the first one name
 */
export async function mockRepository<E extends ObjectLiteral, Mock extends Partial<Repository<E>>>(
  entity: EntityTarget<E>,
  mock: Mock,
  ...related: EntityTarget<ObjectLiteral>[]
): Promise<Repository<E> & Mock> {
  const dataSource = new DataSource({ type: 'postgres', entities: [entity, ...related] as string[] });
  // eslint-disable-next-line @typescript-eslint/dot-notation -- it is protected; otherwise only connecting does it
  await dataSource['buildMetadatas']();
  return Object.assign(dataSource.getRepository(entity), mock);
}
