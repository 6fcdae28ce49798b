import { addSampleData } from '../../src/platform/bootstrap/demo/welcome.js';
import { Petstore } from '../platform.js';

let petstore: Petstore;
let client: ReturnType<Petstore['client']>;

beforeAll(async () => {
  petstore = await Petstore.start();
  await addSampleData(petstore.app);
  client = petstore.client(await petstore.key());
});
afterAll(() => petstore.stop());

const read = async <Row>(path: string) =>
  (await client.get(`/v1/${path}?limit=100`).expect(200)).body as Row[];

describe('the demo data', () => {
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
