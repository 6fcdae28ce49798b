import type { Listing } from '../listing.js';
import type { Query } from '../operations.js';
import type { ReadOptions, RequestOptions, Transport, WriteOptions } from '../transport.js';
import type { NewPet, Pet } from '../types.js';

export type PetQuery = Query<'listPets'>;

/** Pets. */
export class Pets {
  constructor(private readonly transport: Transport) {}

  /** Every pet once, in ascending order of `id`. `limit` is the size of a page: 1 to 100, 20 unless given. */
  list(query: PetQuery = {}, options?: RequestOptions): Listing<Pet> {
    return this.transport.list('listPets', query, options);
  }

  /**
   * Adds a pet, once however often that has to be tried.
   * @throws ValidationError if a property is not valid
   */
  create(pet: NewPet, options?: WriteOptions): Promise<Pet> {
    return this.transport.call('createPet', { body: pet }, options);
  }

  /**
   * One pet.
   * @deprecated The service removes it on 5 December 2030. Use `list` with a `status`.
   * @throws NotFoundError if there is none with this id
   */
  get(petId: bigint, options?: ReadOptions): Promise<Pet> {
    return this.transport.call('getPet', { path: { petId } }, options);
  }
}
