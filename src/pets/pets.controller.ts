import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query, UseGuards } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiExtension,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import { Throttle } from '@nestjs/throttler';
import {
  ApiErrors,
  Changes,
  Created,
  Deprecated,
  type IfMatchCondition,
  Id,
  Idempotent,
  IfMatch,
  type Int64,
  type Page,
  Paged,
  RequireScope,
  Tag,
  UnitOfWork,
  Updated,
} from '../platform/index.js';
import { CreatePetDto } from './dto/create-pet.dto.js';
import { ListPetsQuery } from './dto/list-pets.query.js';
import { CreatePetsDto, PetsResponse } from './dto/pet-batch.js';
import { PetResponse } from './dto/pet.response.js';
import { UpdatePetDto } from './dto/update-pet.dto.js';
import { PetBatchGuard } from './pet-batch.guard.js';
import { BATCHES_OF_KEY, PETS_OF_PLAN } from './pet-batch-size.js';
import { PetStatus } from './pet-status.js';
import { InvalidStatusTransition, PetNotFound, PetReserved, TooManyPets } from './pet.errors.js';
import { PetsService } from './pets.service.js';

@Tag('pets', 'Pets in the store')
@Controller({ path: 'pets', version: '1' })
export class PetsController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  @RequireScope('pets:read')
  @ApiExtension(
    'x-further-rules',
    '`namePrefix` and the orders by name cannot be combined with `categoryId`, nor `namePrefix` with `ids` or an order by `id`.',
  )
  @ApiOperation({
    operationId: 'listPets',
    summary: 'List pets',
    description:
      'Returns pets in ascending order of `id`, newest first with `sort=-id`, or sorted by name with `sort=name` or `namePrefix`, which ' +
      'finds pets by the beginning of their name. Follow the `Link` header to visit every pet exactly once. In a list by name, a pet ' +
      'that is renamed meanwhile may come twice or not at all. With a single id in `ids`, the response has the `ETag` of that pet, ' +
      'ready for `If-Match`.',
  })
  @Paged(PetResponse, { name: 'Pets', description: 'A page of pets.' })
  list(@Query() query: ListPetsQuery): Promise<Page<PetResponse>> {
    return this.pets.list(query);
  }

  @Post()
  @RequireScope('pets:write')
  @Idempotent()
  @ApiOperation({
    operationId: 'createPet',
    summary: 'Add a pet',
    description:
      'The service assigns the `id`. A pet without a `status` is `available`. `Location` is the URL for `PATCH` and `DELETE`; its ' +
      '`GET` ends on 5 December 2030, so read the pet with `GET /pets?ids=42`.',
  })
  @Created(PetResponse)
  create(@Body() newPet: CreatePetDto, @UnitOfWork() changes: Changes): Promise<PetResponse> {
    return this.pets.create(newPet, changes);
  }

  @Post('batch')
  @RequireScope('pets:write')
  @Idempotent()
  @UseGuards(PetBatchGuard)
  @Throttle({ default: BATCHES_OF_KEY })
  @ApiErrors(new TooManyPets(PETS_OF_PLAN.free))
  @ApiOperation({
    operationId: 'createPets',
    summary: 'Add several pets',
    description:
      'Adds all pets or none, and is one request of the quota; of these requests, a key can send five a second. With the free plan at ' +
      'most 10 pets, with pro 50, with business and enterprise 100. A body has at most 16 KiB, so fewer pets with very long names fit. If one is invalid, `details` names it, for ' +
      'example `pets.3.name`, and none is added.',
  })
  @ApiCreatedResponse({
    type: PetsResponse,
    description: 'The pets that were added, in the order of the request.',
  })
  createAll(@Body() newPets: CreatePetsDto, @UnitOfWork() changes: Changes): Promise<PetsResponse> {
    return this.pets.createAll(newPets, changes);
  }

  @Get(':petId')
  @RequireScope('pets:read')
  @Deprecated({
    since: '2026-11-20',
    sunset: '2030-12-05',
    successor: '/v1/pets',
    use: 'GET /v1/pets with the status filter (or with ?ids= for one pet)',
    documentation: '/docs#/pets/getPet',
  })
  @ApiOperation({
    operationId: 'getPet',
    summary: 'Get a pet',
    description:
      'Use `GET /pets` with the `status` filter instead. For a single pet there is `GET /pets?ids=42`, which returns an array ' +
      'with the pet, or an empty one, and the same `ETag`.',
  })
  @ApiOkResponse({ type: PetResponse, description: 'The pet.' })
  get(
    @Id('petId', PetNotFound, { example: 17, note: 'To try it again, take one that the list of pets has.' })
    id: Int64,
  ): Promise<PetResponse> {
    return this.pets.get(id);
  }

  @Patch(':petId')
  @RequireScope('pets:write')
  @ApiOperation({
    operationId: 'updatePet',
    summary: 'Change a pet',
    description:
      'A JSON merge patch (RFC 7396): properties you leave out stay unchanged. A sold pet stays sold, and the ' +
      'status of a pet held by an open order changes only through the order.',
  })
  @Updated(PetResponse)
  @ApiErrors(new InvalidStatusTransition(PetStatus.Sold, PetStatus.Available), new PetReserved('4711'))
  update(
    @Id('petId', PetNotFound, { example: 17, note: 'To try it again, take one that the list of pets has.' })
    id: Int64,
    @Body() change: UpdatePetDto,
    @IfMatch() condition: IfMatchCondition,
    @UnitOfWork() changes: Changes,
  ): Promise<PetResponse> {
    return this.pets.update(id, change, changes, condition);
  }

  @Delete(':petId')
  @HttpCode(204)
  @RequireScope('pets:write')
  @ApiOperation({
    operationId: 'deletePet',
    summary: 'Remove a pet',
    description: 'Orders keep the id of the pet. A pet held by an open order cannot be removed.',
  })
  @ApiNoContentResponse({ description: 'The pet was removed.' })
  @ApiErrors(new PetReserved('4711'))
  remove(
    @Id('petId', PetNotFound, { example: 17, note: 'To try it again, take one that the list of pets has.' })
    id: Int64,
    @IfMatch() condition: IfMatchCondition,
    @UnitOfWork() changes: Changes,
  ): Promise<void> {
    return this.pets.remove(id, changes, condition);
  }
}
