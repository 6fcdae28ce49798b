import { Petstore } from './support/petstore.js';
import { topics } from './ordinary-nest/topics.js';

/**
 * Everything in the Nest and TypeORM documentation works in a user's module. Each topic is such a module, written only
 * with what those pages show, and tests of its routes. All share one application.
 */
describe('an ordinary Nest module', () => {
  let petstore: Petstore;
  let key: string;

  beforeAll(async () => {
    petstore = await Petstore.start({ modules: topics.map(({ module }) => module) });
    key = await petstore.key();
  });
  afterAll(() => petstore.stop());

  for (const { name, tests } of topics) {
    describe(name, () => {
      tests(() => ({ petstore, key, client: petstore.client(key) }));
    });
  }
});
