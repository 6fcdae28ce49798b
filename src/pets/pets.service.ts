import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, Repository } from 'typeorm';
import {
  Changes,
  ExpectedVersion,
  type Int64,
  keysetPage,
  type Page,
  type PageRequest,
} from '../platform.js';
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
    private readonly changes: Changes,
  ) {}

  async list(query: ListPetsQuery): Promise<Page<PetResponse>> {
    const { status, ids } = query;
    const page = await keysetPage(this.pets, query, { status, id: ids && In([...ids]) });
    const pets = page.map((pet) => PetResponse.from(pet));
    return ids?.length === 1 ? pets.ofOneId() : pets;
  }

  async listOfCategory(categoryId: Int64, query: PageRequest): Promise<Page<PetResponse>> {
    const page = await keysetPage(this.pets, query, { categoryId });
    return page.map((pet) => PetResponse.from(pet));
  }

  async create(newPet: CreatePetDto): Promise<PetResponse> {
    return PetResponse.from(await this.changes.insert(Pet, newPet, PET_CREATED));
  }

  /** @throws PetNotFound */
  async get(id: Int64): Promise<PetResponse> {
    const pet = await this.pets.findOneBy({ id });
    if (!pet) throw new PetNotFound(id);
    return PetResponse.from(pet);
  }

  /** @throws PetNotFound, PreconditionFailed, PetReserved, InvalidStatusTransition */
  update(id: Int64, change: UpdatePetDto, expected = ExpectedVersion.any): Promise<PetResponse> {
    return this.pets.manager.transaction(async (manager) => {
      const pet = await this.lock(manager, id, expected);
      const changesStatus = change.status !== undefined && change.status !== pet.status;
      if (changesStatus && (await isReserved(manager, id))) throw new PetReserved(id);
      return PetResponse.from(await changePet(this.changes.in(manager), pet, change));
    });
  }

  /** @throws PetNotFound, PreconditionFailed, PetReserved */
  async remove(id: Int64, expected = ExpectedVersion.any): Promise<void> {
    await this.pets.manager.transaction(async (manager) => {
      const pet = await this.lock(manager, id, expected);
      if (await isReserved(manager, id)) throw new PetReserved(id);
      await this.changes.in(manager).delete(Pet, pet, PET_DELETED);
    });
  }

  private async lock(manager: EntityManager, id: Int64, expected: ExpectedVersion): Promise<Pet> {
    const pet = await lockPet(manager, id);
    if (!pet) throw new PetNotFound(id);
    expected.check(PetResponse.from(pet));
    return pet;
  }
}
