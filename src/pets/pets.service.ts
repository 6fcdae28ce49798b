import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, Repository } from 'typeorm';
import { etagOf } from '../http/conditional/etag.js';
import { checkIfMatch } from '../http/conditional/if-match.js';
import { expectSomeChange } from '../http/validation/partial-update.js';
import type { PageQuery } from '../http/pagination/page-query.js';
import { type Int64, parseInt64 } from '../kernel/json/int64.js';
import { keysetPage } from '../database/pagination/keyset.js';
import type { Page } from '../kernel/pagination/page.js';
import { findRow } from '../database/rows.js';
import { EventsService } from '../events/events.service.js';
import type { CreatePetDto } from './dto/create-pet.dto.js';
import type { ListPetsQuery } from './dto/list-pets.query.js';
import { PetResponse } from './dto/pet.response.js';
import type { UpdatePetDto } from './dto/update-pet.dto.js';
import { changePet, isReserved, lockPet } from './pet-changes.js';
import { Pet } from './pet.entity.js';
import { PetNotFound, PetReserved } from './pet.errors.js';
import { PET_CREATED, PET_DELETED } from './pet.events.js';

@Injectable()
export class PetsService {
  constructor(
    @InjectRepository(Pet) private readonly pets: Repository<Pet>,
    private readonly events: EventsService,
  ) {}

  async list(query: ListPetsQuery): Promise<Page<PetResponse>> {
    const { status, ids } = query;
    const page = await keysetPage(this.pets, query, { status, id: ids && In([...ids]) });
    const pets = page.map((pet) => PetResponse.from(pet));
    return ids?.length === 1 ? pets.ofOneId() : pets;
  }

  async listOfCategory(categoryId: Int64, query: PageQuery): Promise<Page<PetResponse>> {
    const page = await keysetPage(this.pets, query, { categoryId });
    return page.map((pet) => PetResponse.from(pet));
  }

  async create(newPet: CreatePetDto): Promise<PetResponse> {
    const pet = await this.events.insert(this.pets, newPet, PET_CREATED, [
      'id',
      'name',
      'categoryId',
      'status',
    ]);
    return PetResponse.from(pet);
  }

  /** @throws PetNotFound when no pet has the id, or when it is not an id. */
  async get(petId: string): Promise<PetResponse> {
    const id = parseInt64(petId);
    const pet = id === undefined ? null : await findRow(this.pets, id);
    if (!pet) throw new PetNotFound(petId);
    return PetResponse.from(pet);
  }

  /**
   * Changes what `change` names, if the client knows the current version.
   * @param ifMatch the request's `If-Match` header
   * @throws PetNotFound, PetReserved, InvalidStatusTransition, PreconditionFailed
   */
  async update(petId: string, change: UpdatePetDto, ifMatch?: string): Promise<PetResponse> {
    expectSomeChange(change, ['name', 'categoryId', 'status']);
    return this.pets.manager.transaction(async (manager) => {
      const pet = await this.lock(manager, petId, ifMatch);
      const changesStatus = change.status !== undefined && change.status !== pet.status;
      if (changesStatus && (await isReserved(manager, pet.id))) throw new PetReserved(petId);
      return PetResponse.from(await changePet(manager, this.events, pet, change));
    });
  }

  /** @throws PetNotFound, PetReserved, PreconditionFailed */
  async remove(petId: string, ifMatch?: string): Promise<void> {
    await this.pets.manager.transaction(async (manager) => {
      const pet = await this.lock(manager, petId, ifMatch);
      if (await isReserved(manager, pet.id)) throw new PetReserved(petId);
      await manager.delete(Pet, { id: pet.id });
      await this.events.record(manager, PET_DELETED, PetResponse.from(pet));
    });
  }

  private async lock(manager: EntityManager, petId: string, ifMatch: string | undefined): Promise<Pet> {
    const id = parseInt64(petId);
    const pet = id === undefined ? null : await lockPet(manager, id);
    if (!pet) throw new PetNotFound(petId);
    checkIfMatch(ifMatch, etagOf(PetResponse.from(pet)));
    return pet;
  }
}
