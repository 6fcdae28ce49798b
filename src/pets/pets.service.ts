import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { parseInt64 } from '../kernel/json/int64.js';
import { keysetPage } from '../database/pagination/keyset.js';
import type { Page } from '../kernel/pagination/page.js';
import { findRow } from '../database/rows.js';
import { EventsService } from '../events/events.service.js';
import type { CreatePetDto } from './dto/create-pet.dto.js';
import type { ListPetsQuery } from './dto/list-pets.query.js';
import { PetResponse } from './dto/pet.response.js';
import { Pet } from './pet.entity.js';
import { PetNotFound } from './pet.errors.js';
import { PET_CREATED } from './pet.events.js';

@Injectable()
export class PetsService {
  constructor(
    @InjectRepository(Pet) private readonly pets: Repository<Pet>,
    private readonly events: EventsService,
  ) {}

  async list(query: ListPetsQuery): Promise<Page<PetResponse>> {
    const page = await keysetPage(this.pets, query, { status: query.status });
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
}
