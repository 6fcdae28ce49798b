import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import {
  type Changes,
  IfMatchCondition,
  findById,
  type Int64,
  keysetPage,
  type Page,
} from '../platform/index.js';
import type { CreatePetDto } from './dto/create-pet.dto.js';
import type { ListPetsQuery } from './dto/list-pets.query.js';
import type { CreatePetsDto, PetsResponse } from './dto/pet-batch.js';
import { PetResponse } from './dto/pet.response.js';
import type { UpdatePetDto } from './dto/update-pet.dto.js';
import { changePet, isReserved, lockPet } from './pet-changes.js';
import { Pet } from './pet.entity.js';
import { PetNotFound, PetReserved } from './pet.errors.js';
import { petsByName } from './pets-by-name.js';
import { PET_CREATED, PET_DELETED } from './pet.events.js';

@Injectable()
export class PetsService {
  constructor(@InjectRepository(Pet) private readonly pets: Repository<Pet>) {}

  async list(query: ListPetsQuery): Promise<Page<PetResponse>> {
    const { status, categoryId, ids, namePrefix, sort } = query;
    const isByName = namePrefix !== undefined || sort === 'name' || sort === '-name';
    const page = isByName
      ? await petsByName(this.pets.manager, query)
      : await keysetPage(this.pets, query, { status, categoryId, id: ids && In([...ids]) });
    const pets = page.map((pet) => PetResponse.from(pet));
    return ids?.length === 1 ? pets.asSingleItem() : pets;
  }

  async create(newPet: CreatePetDto, changes: Changes): Promise<PetResponse> {
    return PetResponse.from(await changes.insert(Pet, newPet, PET_CREATED));
  }

  /** Adds all of them or none. */
  async createAll({ pets }: CreatePetsDto, changes: Changes): Promise<PetsResponse> {
    const added = await changes.insertAll(Pet, pets, PET_CREATED);
    return { pets: added.map((pet) => PetResponse.from(pet)) };
  }

  /** @throws PetNotFound */
  async get(id: Int64): Promise<PetResponse> {
    const pet = await findById(this.pets, id);
    if (!pet) throw new PetNotFound(id);
    return PetResponse.from(pet);
  }

  /** @throws PetNotFound, PreconditionFailed, PetReserved, InvalidStatusTransition */
  update(
    id: Int64,
    change: UpdatePetDto,
    changes: Changes,
    condition = IfMatchCondition.any,
  ): Promise<PetResponse> {
    return changes.transaction(async (changes) => {
      const pet = await this.lock(changes, id, condition);
      const changesStatus = change.status !== undefined && change.status !== pet.status;
      if (changesStatus && (await isReserved(changes, id))) throw new PetReserved(id);
      return PetResponse.from(await changePet(changes, pet, change));
    });
  }

  /** @throws PetNotFound, PreconditionFailed, PetReserved */
  remove(id: Int64, changes: Changes, condition = IfMatchCondition.any): Promise<void> {
    return changes.transaction(async (changes) => {
      const pet = await this.lock(changes, id, condition);
      if (await isReserved(changes, id)) throw new PetReserved(id);
      await changes.delete(Pet, pet, PET_DELETED);
    });
  }

  private async lock(changes: Changes, id: Int64, condition: IfMatchCondition): Promise<Pet> {
    const pet = await lockPet(changes, id);
    if (!pet) throw new PetNotFound(id);
    condition.check(PetResponse.from(pet));
    return pet;
  }
}
