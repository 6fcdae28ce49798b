import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Patch,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import {
  ApiConsumes,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { RequireScope } from '../auth/require-scope.decorator.js';
import { Deprecated } from '../deprecation/deprecated.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import type { Page } from '../kernel/pagination/page.js';
import { Paged } from '../openapi/decorators/paged.decorator.js';
import { CreatePetDto } from './dto/create-pet.dto.js';
import { ListPetsQuery } from './dto/list-pets.query.js';
import { PetResponse } from './dto/pet.response.js';
import { UpdatePetDto } from './dto/update-pet.dto.js';
import { PetStatus } from './pet-status.js';
import { InvalidStatusTransition, PetNotFound, PetReserved } from './pet.errors.js';
import { PetsService } from './pets.service.js';
import { Tag } from '../openapi/decorators/operation-marks.js';
import { ETAG_HEADER, LOCATION_HEADER, ApiIfMatch } from '../openapi/decorators/api-headers.decorator.js';
import { etagOf } from '../http/conditional/etag.js';

const PET_ID = {
  name: 'petId',
  schema: { type: 'integer', format: 'int64', example: 1 },
  description: 'Identifier of the pet.',
} as const;

@Tag('pets', 'Pets in the store')
@Controller({ path: 'pets', version: '1' })
export class PetsController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  @RequireScope('pets:read')
  @ApiOperation({
    operationId: 'listPets',
    summary: 'List pets',
    description:
      'Pets in ascending order of `id`. Follow the `Link` header to visit every pet exactly once. With one id in `ids` the ' +
      'page holds that pet or nothing, and its `ETag` is the one of the pet, for `If-Match`.',
  })
  @Paged(PetResponse, { description: 'A page of pets.' })
  list(@Query() query: ListPetsQuery): Promise<Page<PetResponse>> {
    return this.pets.list(query);
  }

  @Post()
  @RequireScope('pets:write')
  @Idempotent()
  @ApiOperation({
    operationId: 'createPet',
    summary: 'Add a pet',
    description: 'The service assigns the `id`. A pet without a `status` is `available`.',
  })
  @ApiCreatedResponse({
    type: PetResponse,
    description: 'The created pet.',
    headers: { ...ETAG_HEADER, ...LOCATION_HEADER },
  })
  async create(
    @Body() newPet: CreatePetDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PetResponse> {
    const pet = await this.pets.create(newPet);
    response.setHeader('ETag', etagOf(pet));
    response.location(`/v1/pets/${pet.id}`);
    return pet;
  }

  @Get(':petId')
  @RequireScope('pets:read')
  @Deprecated({
    since: '2026-11-20',
    sunset: '2030-12-05',
    successor: '/v1/pets',
    use: 'GET /v1/pets?ids=',
    documentation: '/docs#/pets/getPet',
  })
  @ApiOperation({
    operationId: 'getPet',
    summary: 'Get a pet',
    description:
      'Use [`GET /pets?ids=42`](#tag/pets/operation/listPets) instead: it returns an array that holds the pet or nothing, with the same `ETag`.',
  })
  @ApiParam(PET_ID)
  @ApiOkResponse({ type: PetResponse, description: 'The pet.' })
  @ApiErrors(new PetNotFound('4711'))
  get(@Param('petId') petId: string): Promise<PetResponse> {
    return this.pets.get(petId);
  }

  @Patch(':petId')
  @RequireScope('pets:write')
  @ApiOperation({
    operationId: 'updatePet',
    summary: 'Change a pet',
    description:
      'A JSON merge patch (RFC 7396): what the body does not name stays as it is. A sold pet stays sold, and an open order holds the status of its pet.',
  })
  @ApiConsumes('application/merge-patch+json', 'application/json')
  @ApiParam(PET_ID)
  @ApiIfMatch()
  @ApiOkResponse({ type: PetResponse, description: 'The changed pet.', headers: ETAG_HEADER })
  @ApiErrors(
    new PetNotFound('4711'),
    new InvalidStatusTransition(PetStatus.Sold, PetStatus.Available),
    new PetReserved('4711'),
  )
  async update(
    @Param('petId') petId: string,
    @Body() change: UpdatePetDto,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PetResponse> {
    const pet = await this.pets.update(petId, change, ifMatch);
    response.setHeader('ETag', etagOf(pet));
    return pet;
  }

  @Delete(':petId')
  @HttpCode(204)
  @RequireScope('pets:write')
  @ApiOperation({
    operationId: 'deletePet',
    summary: 'Remove a pet',
    description: 'Orders keep the id of the pet. A pet that an open order holds stays.',
  })
  @ApiParam(PET_ID)
  @ApiIfMatch()
  @ApiNoContentResponse({ description: 'The pet is gone.' })
  @ApiErrors(new PetNotFound('4711'), new PetReserved('4711'))
  remove(@Param('petId') petId: string, @Headers('if-match') ifMatch: string | undefined): Promise<void> {
    return this.pets.remove(petId, ifMatch);
  }
}
