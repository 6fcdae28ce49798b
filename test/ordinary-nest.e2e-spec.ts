import { Petstore } from './support/petstore.js';
import { topics } from './ordinary-nest/topics.js';

/**
 * Whatever the Nest and TypeORM documentation teaches works in a module of a user. Each topic is such a module, written
 * with nothing but what those pages show, and the tests of what its routes do. All share one application.
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
