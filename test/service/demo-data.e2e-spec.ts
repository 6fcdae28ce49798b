import { welcome } from '../../src/platform/program/bootstrap/demo/welcome.js';
import { Petstore } from '../platform.js';
import { emptyFolder } from '../support/program.js';

let petstore: Petstore;
let client: ReturnType<Petstore['client']>;
let folder: Awaited<ReturnType<typeof emptyFolder>>;
/** What the first start prints. */
let printed: string;

beforeAll(async () => {
  folder = await emptyFolder();
  petstore = await Petstore.start({ env: { PETSTORE_DATA_DIR: folder.path } });
  printed = await welcome(petstore.app, { url: petstore.databaseUrl, embedded: true });
  client = petstore.client(await petstore.key());
});
afterAll(async () => {
  await petstore.stop();
  await folder.remove();
});

const read = async <Row>(path: string) =>
  (await client.get(`/v1/${path}?limit=100`).expect(200)).body as Row[];

describe('the demo data', () => {
  it('are in the response to the command that the start prints', async () => {
    const [, key = '', path = ''] =
      /curl -i -H 'Authorization: Bearer (\w+)' '[^']*(\/v1[^']+)'/.exec(printed) ?? [];
    expect((await petstore.client(key).get(path).expect(200)).text).toMatch(/"name":"Rex"/);
  });

  it('have an event for every row, and orders that reserve their pets, as if clients had created them', async () => {
    const events = await read<{ type: string; data: { id: number } }>('events');
    /** The state after applying all events. */
    const folded = (resource: string) =>
      new Map(events.filter(({ type }) => type.startsWith(resource)).map(({ data }) => [data.id, data]));
    const pets = await read<{ id: number; name: string; categoryId: number }>('pets');
    const orders = await read<{ id: number; petId: number; status: string }>('store/orders');
    const categories = await read<{ id: number }>('categories');
    expect(pets).toContainEqual(expect.objectContaining({ name: 'Rex' }));
    expect([...folded('pet.').values()]).toMatchObject(pets);
    expect([...folded('order.').values()]).toEqual(orders);
    expect([...folded('category.').values()]).toEqual(categories);
    expect(pets.filter(({ categoryId }) => !folded('category.').has(categoryId))).toEqual([]);
    const held = orders.find(({ status }) => status === 'placed')?.petId;
    await client.delete(`/v1/pets/${held}`).expect(409);
  });
});
