import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam } from '@nestjs/swagger';
import { RequireScope } from '../auth/require-scope.decorator.js';
import { Deprecated } from '../deprecation/deprecated.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import type { Page } from '../kernel/pagination/page.js';
import { Paged } from '../openapi/decorators/paged.decorator.js';
import { CreatePetDto } from './dto/create-pet.dto.js';
import { ListPetsQuery } from './dto/list-pets.query.js';
import { PetResponse } from './dto/pet.response.js';
import { PetNotFound } from './pet.errors.js';
import { PetsService } from './pets.service.js';
import { Tag } from '../openapi/decorators/operation-marks.js';

@Tag('pets', 'Animals in the store')
@Controller({ path: 'pets', version: '1' })
export class PetsController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  @RequireScope('pets:read')
  @ApiOperation({
    operationId: 'listPets',
    summary: 'List animals',
    description:
      'Animals in ascending order of `id`. Follow the `Link` header to visit every animal exactly once.',
  })
  @Paged(PetResponse, { description: 'A page of animals.' })
  list(@Query() query: ListPetsQuery): Promise<Page<PetResponse>> {
    return this.pets.list(query);
  }

  @Post()
  @RequireScope('pets:write')
  @Idempotent()
  @ApiOperation({
    operationId: 'createPet',
    summary: 'Add an animal',
    description: 'The service assigns the `id`. An animal without a `status` is `available`.',
  })
  @ApiCreatedResponse({ type: PetResponse, description: 'The created animal.' })
  create(@Body() newPet: CreatePetDto): Promise<PetResponse> {
    return this.pets.create(newPet);
  }

  @Get(':petId')
  @RequireScope('pets:read')
  @Deprecated({
    since: '2026-11-20',
    sunset: '2030-12-05',
    successor: '/v1/pets',
    use: 'GET /v1/pets with the status filter',
  })
  @ApiOperation({
    operationId: 'getPet',
    summary: 'Get an animal',
    description: '`GET /pets` with the `status` filter replaces it.',
  })
  @ApiParam({
    name: 'petId',
    schema: { type: 'integer', format: 'int64', example: 1 },
    description: 'Identifier of the animal.',
  })
  @ApiOkResponse({ type: PetResponse, description: 'The animal.' })
  @ApiErrors(new PetNotFound('4711'))
  get(@Param('petId') petId: string): Promise<PetResponse> {
    return this.pets.get(petId);
  }
}
