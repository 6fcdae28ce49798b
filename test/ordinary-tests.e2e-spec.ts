import { Test } from '@nestjs/testing';
import { getRepositoryToken } from '@nestjs/typeorm';
import { Petstore } from './support/petstore.js';
import { PetResponse } from '../src/pets/dto/pet.response.js';
import { PetStatus } from '../src/pets/pet-status.js';
import { PetNotFound } from '../src/pets/pet.errors.js';
import { PetsController } from '../src/pets/pets.controller.js';
import { Pet } from '../src/pets/pet.entity.js';
import { PetsService } from '../src/pets/pets.service.js';

const REX: PetResponse = { id: 1n, name: 'Rex', categoryId: 7n, status: PetStatus.Available };

/** docs/testing.md */
describe('a unit test as the Nest documentation writes it', () => {
  it('has a controller with a mocked service', async () => {
    const pets = { get: jest.fn().mockResolvedValue(REX) };
    const module = await Test.createTestingModule({
      controllers: [PetsController],
      providers: [{ provide: PetsService, useValue: pets }],
    }).compile(); // without what @Idempotent() and @Deprecated() bring
    expect(await module.get(PetsController).get(1n)).toBe(REX);
    expect(pets.get).toHaveBeenCalledWith(1n);
  });

  it('has a service with a mocked repository, and whatever else it needs by useMocker()', async () => {
    const pets = { findOneBy: jest.fn().mockResolvedValue(null) };
    const module = await Test.createTestingModule({
      providers: [PetsService, { provide: getRepositoryToken(Pet), useValue: pets }],
    })
      .useMocker(() => ({}))
      .compile();
    await expect(module.get(PetsService).get(7n)).rejects.toThrow(PetNotFound);
  });
});

describe('Petstore.start({ override })', () => {
  it('puts a provider of a test in the place of one of the service', async () => {
    const pets = {
      get: () => {
        throw new PetNotFound(1n);
      },
    };
    const petstore = await Petstore.start({ override: [{ provide: PetsService, useValue: pets }] });
    await petstore
      .client(await petstore.key())
      .get('/v1/pets/1')
      .expect(404);
    await petstore.stop();
  });
});
