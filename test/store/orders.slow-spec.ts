import { Petstore } from '../support/petstore.js';
import { end, type ServiceProcess, ServiceProcesses } from '../support/service-process.js';

const PETS = 50;
const ORDERS = 200;

let petstore: Petstore;
let key: string;
let services: ServiceProcesses;

beforeAll(async () => {
  petstore = await Petstore.start();
  services = await ServiceProcesses.on(petstore.databaseUrl);
  key = await petstore.key();
});
afterAll(async () => {
  await services.stop();
  await petstore.stop();
});

/** Sends to one of the processes. Undefined if that process ended before responding. */
async function post(
  processes: readonly ServiceProcess[],
  i: number,
  path: string,
  body: object = {},
): Promise<Response | undefined> {
  const { url = '' } = processes[i % processes.length] ?? {};
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }).catch(
    () => undefined,
  );
}

async function createPets(): Promise<number[]> {
  const pets = await petstore.query<{ id: number }>(
    `INSERT INTO pets (name, category_id, status) SELECT 'Rex', 1, 'available' FROM generate_series(1, $1) RETURNING id`,
    [PETS],
  );
  return pets.map(({ id }) => id);
}

/** Each pet with its open orders, and whether it is held. */
const state = (ids: readonly number[]) =>
  petstore.query<{ status: string; open: number; held: number }>(
    `SELECT pets.status,
            (SELECT count(*)::integer FROM orders
              WHERE pet_id = pets.id AND orders.status IN ('placed', 'approved')) AS open,
            (SELECT count(*)::integer FROM pet_reservations WHERE pet_id = pets.id) AS held
       FROM pets WHERE id = ANY($1)`,
    [ids],
  );

const isConsistent = ({ status, open, held }: { status: string; open: number; held: number }) =>
  open === held && (open === 1) === (status === 'pending') && open <= 1;

/** Places many concurrent orders over all processes, equally many for each pet. */
const orderAll = (processes: readonly ServiceProcess[], ids: readonly number[]) =>
  Array.from({ length: ORDERS }, (_, i) =>
    post(processes, i, '/v1/store/orders', { petId: ids[Math.floor(i / 4) % ids.length] }),
  );

describe('POST /v1/store/orders, over four processes', () => {
  it(`gives each of ${PETS} pets to one of ${ORDERS} concurrent orders`, async () => {
    const processes = await Promise.all([
      services.start(),
      services.start(),
      services.start(),
      services.start(),
    ]);
    const ids = await createPets();
    const statuses = (await Promise.all(orderAll(processes, ids))).map((response) => response?.status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(PETS);
    expect(statuses.filter((status) => status === 409)).toHaveLength(ORDERS - PETS);
    expect((await state(ids)).every(isConsistent)).toBe(true);

    // Everything at once on the same pets: no deadlock, and each order ends once.
    const orders = await petstore.query<{ id: number }>('SELECT id FROM orders WHERE pet_id = ANY($1)', [
      ids,
    ]);
    const actions = orders.flatMap(({ id }, i) =>
      ['approve', 'deliver', 'cancel', 'cancel'].map((action, j) =>
        post(processes, i + j, `/v1/store/orders/${id}/${action}`),
      ),
    );
    const ended = (await Promise.all(actions)).map((response) => response?.status);
    expect(ended.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect((await state(ids)).every(({ open, held }) => open === held)).toBe(true);
  });

  it('leaves no pet held without its order when a process is killed', async () => {
    const [victim, survivor] = await Promise.all([services.start(), services.start()]);
    const ids = await createPets();
    const responses = orderAll([victim, survivor], ids);
    await Promise.any(responses.filter((_, i) => i % 2 === 0));
    await end(victim, 'SIGKILL');
    await Promise.all(responses);
    expect((await state(ids)).filter((pet) => !isConsistent(pet))).toEqual([]);

    // Pets that were not ordered remain available.
    const left = (await state(ids)).filter(({ status }) => status === 'available').length;
    const again = await Promise.all(ids.map((petId) => post([survivor], 0, '/v1/store/orders', { petId })));
    expect(again.filter((response) => response?.status === 201)).toHaveLength(left);
    expect((await state(ids)).every(isConsistent)).toBe(true);
  });
});
