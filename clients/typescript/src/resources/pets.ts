import { NotFoundError } from '../errors.js';
import type { Listing } from '../listing.js';
import type { Query } from '../operations.js';
import type { ResponseInfo } from '../response-info.js';
import type {
  ChangeOptions,
  ReadOptions,
  RequestOptions,
  Result,
  Transport,
  WriteOptions,
} from '../transport.js';
import type { Inventory, NewPet, Pet, PetChange } from '../types.js';
import { createMany, type CreateManyOptions } from './create-many.js';

export type PetQuery<Id = bigint> = Query<'listPets', Id>;

/** Pets. */
export class Pets<Id = bigint> {
  constructor(private readonly transport: Transport<Id>) {}

  /**
   * All pets in ascending order of `id`, or newest first with `sort: '-id'`, or in the order of names with `'name'` or `'-name'`.
   * `namePrefix` lists those whose name begins with it, whatever its case, by name. `limit` is the page size: 1 to 100, 20 by default.
   */
  list(query: PetQuery<Id> = {}, options?: RequestOptions): Listing<Pet<Id>> {
    return this.transport.list('listPets', query, options);
  }

  /** The number of pets of each status, as of a second ago or, in a large store, a little more. */
  inventory(options?: ReadOptions): Promise<Result<Inventory>> {
    return this.transport.call('getInventory', {}, options);
  }

  /**
   * Adds a pet. Retries do not add it twice.
   * @throws ValidationError if a property is not valid
   */
  create(pet: NewPet<Id>, options?: WriteOptions): Promise<Result<Pet<Id>>> {
    return this.transport.call('createPet', { body: pet }, options);
  }

  /**
   * Adds many pets, as many in a request as the plan of the key allows, and waits whenever its quota is used up. If it is cut off, run it again
   * with the same `idempotencyKey` and the same pets within 24 hours: none is added twice.
   * @returns the pets in their order
   * @throws CreateManyError with the pets that were added before the error; if the call is aborted, the reason of its signal
   */
  createMany(
    pets: Iterable<NewPet<Id>> | AsyncIterable<NewPet<Id>>,
    options: CreateManyOptions<Id> = {},
  ): Promise<Pet<Id>[]> {
    return createMany(this.transport, pets, options);
  }

  /**
   * One pet, by `GET /pets?ids=`.
   * @throws NotFoundError if the id is unknown
   */
  async get(petId: Id, options?: ReadOptions): Promise<Result<Pet<Id>>> {
    const found = await this.transport.call('listPets', { query: { ids: [petId] } }, options);
    const { response } = found;
    const [pet] = found as Pet<Id>[];
    if (pet) return Object.defineProperty(pet as Result<Pet<Id>>, 'response', { value: response });
    const message = `There is no pet ${String(petId)}.`;
    throw new NotFoundError({
      code: 'pet_not_found',
      message,
      status: 404,
      requestId: response.requestId,
      response,
    });
  }

  /**
   * Changes a pet: omitted properties stay the same.
   * @throws ConflictError if its status cannot become the new one, or an open order holds it
   */
  update(petId: Id, change: PetChange<Id>, options?: ChangeOptions): Promise<Result<Pet<Id>>> {
    return this.transport.call('updatePet', { path: { petId }, body: change }, options);
  }

  /**
   * Removes a pet.
   * @throws ConflictError if an open order holds it
   */
  remove(petId: Id, options?: ChangeOptions): Promise<ResponseInfo> {
    return this.transport.send('deletePet', { path: { petId } }, options);
  }
}
