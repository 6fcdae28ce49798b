import type { Petstore } from './petstore.js';

interface Operation {
  readonly operationId: string;
  readonly 'x-codeSamples'?: readonly { readonly label: string; readonly source: string }[];
}

/** The samples of an operation, by label. */
export type Samples = Readonly<Record<string, string>>;

/** The samples of all operations that have some, by `operationId`, with the address of the running service. */
export async function codeSamples(petstore: Petstore): Promise<Map<string, Samples>> {
  const response = await petstore.client().get('/openapi.json').expect(200);
  const { paths } = response.body as { paths: Record<string, Record<string, Operation>> };
  const address = await petstore.app.getUrl();
  return new Map(
    Object.values(paths)
      .flatMap((path) => Object.values(path))
      .filter((operation) => 'x-codeSamples' in operation)
      .map(({ operationId, 'x-codeSamples': list = [] }) => [
        operationId,
        Object.fromEntries(
          list.map(({ label, source }) => [label, source.replaceAll('http://petstore.test', address)]),
        ),
      ]),
  );
}

/** Operations whose samples work unchanged if there is a pet, with a part of their output. */
export const RUN_AS_THEY_STAND = {
  listPets: 'Rex',
  createPet: 'Rex',
  getPet: 'Rex',
  updatePet: 'Rex',
  placeOrder: 'placed',
  listOrders: '',
  listEvents: 'pet.created',
  getRateLimit: 'enterprise',
};
