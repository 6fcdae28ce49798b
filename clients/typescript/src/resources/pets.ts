import type { Listing } from '../listing.js';
import type { Query } from '../operations.js';
import type { ChangeOptions, ReadOptions, RequestOptions, Transport, WriteOptions } from '../transport.js';
import type { NewPet, Pet, PetChange } from '../types.js';

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
   * @deprecated The service removes it on 5 December 2030. Use `list` with `ids`.
   * @throws NotFoundError if the id is unknown
   */
  get(petId: bigint, options?: ReadOptions): Promise<Pet> {
    return this.transport.call('getPet', { path: { petId } }, options);
  }

  /**
   * Changes a pet: what `change` does not name stays.
   * @throws ConflictError if its status cannot become the new one, or an open order holds it
   */
  update(petId: bigint, change: PetChange, options?: ChangeOptions): Promise<Pet> {
    return this.transport.call('updatePet', { path: { petId }, body: change }, options);
  }

  /**
   * Removes a pet.
   * @throws ConflictError if an open order holds it
   */
  async remove(petId: bigint, options?: ChangeOptions): Promise<void> {
    await this.transport.call('deletePet', { path: { petId } }, options);
  }
}
