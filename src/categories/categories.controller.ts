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
import { etagOf } from '../http/conditional/etag.js';
import { PageQuery } from '../http/pagination/page-query.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import type { Page } from '../kernel/pagination/page.js';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import { Tag } from '../openapi/decorators/operation-marks.js';
import { Paged } from '../openapi/decorators/paged.decorator.js';
import { ETAG_HEADER, LOCATION_HEADER, ApiIfMatch } from '../openapi/decorators/api-headers.decorator.js';
import { PetResponse } from '../pets/dto/pet.response.js';
import { PetsService } from '../pets/pets.service.js';
import { CategoriesService } from './categories.service.js';
import {
  CategoryCycle,
  CategoryHasChildren,
  CategoryNameTaken,
  CategoryNotFound,
  ParentCategoryNotFound,
} from './category.errors.js';
import { CategoryResponse } from './dto/category.response.js';
import { CreateCategoryDto } from './dto/create-category.dto.js';
import { UpdateCategoryDto } from './dto/update-category.dto.js';

const CATEGORY_ID = {
  name: 'categoryId',
  schema: { type: 'integer', format: 'int64', example: 7 },
  description: 'Identifier of the category.',
} as const;

@Tag('categories', 'Categories of pets')
@Controller({ path: 'categories', version: '1' })
export class CategoriesController {
  constructor(
    private readonly categories: CategoriesService,
    private readonly pets: PetsService,
  ) {}

  @Get()
  @RequireScope('categories:read')
  @ApiOperation({
    operationId: 'listCategories',
    summary: 'List categories',
    description: 'In ascending order of `id`. Follow the `Link` header to visit each exactly once.',
  })
  @Paged(CategoryResponse, { description: 'A page of categories.' })
  list(@Query() query: PageQuery): Promise<Page<CategoryResponse>> {
    return this.categories.list(query);
  }

  @Post()
  @RequireScope('categories:write')
  @Idempotent()
  @ApiOperation({
    operationId: 'createCategory',
    summary: 'Add a category',
    description: 'Its name differs from all others in more than case.',
  })
  @ApiCreatedResponse({
    type: CategoryResponse,
    description: 'The created category.',
    headers: { ...ETAG_HEADER, ...LOCATION_HEADER },
  })
  @ApiErrors(new CategoryNameTaken('Dogs'), new ParentCategoryNotFound('4711'))
  async create(
    @Body() newCategory: CreateCategoryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CategoryResponse> {
    const category = await this.categories.create(newCategory);
    response.setHeader('ETag', etagOf(category));
    response.location(`/v1/categories/${category.id}`);
    return category;
  }

  @Get(':categoryId')
  @RequireScope('categories:read')
  @ApiOperation({
    operationId: 'getCategory',
    summary: 'Get a category',
    description: 'The category with this `id`.',
  })
  @ApiParam(CATEGORY_ID)
  @ApiOkResponse({ type: CategoryResponse, description: 'The category.' })
  @ApiErrors(new CategoryNotFound('4711'))
  get(@Param('categoryId') categoryId: string): Promise<CategoryResponse> {
    return this.categories.get(categoryId);
  }

  @Patch(':categoryId')
  @RequireScope('categories:write')
  @ApiOperation({
    operationId: 'updateCategory',
    summary: 'Change a category',
    description:
      'A JSON merge patch (RFC 7396): what the body does not name stays as it is, and `null` removes the parent. No category is below itself.',
  })
  @ApiConsumes('application/merge-patch+json', 'application/json')
  @ApiParam(CATEGORY_ID)
  @ApiIfMatch()
  @ApiOkResponse({ type: CategoryResponse, description: 'The changed category.', headers: ETAG_HEADER })
  @ApiErrors(
    new CategoryNotFound('4711'),
    new CategoryNameTaken('Dogs'),
    new CategoryCycle('7'),
    new ParentCategoryNotFound('4711'),
  )
  async update(
    @Param('categoryId') categoryId: string,
    @Body() change: UpdateCategoryDto,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CategoryResponse> {
    const category = await this.categories.update(categoryId, change, ifMatch);
    response.setHeader('ETag', etagOf(category));
    return category;
  }

  @Delete(':categoryId')
  @HttpCode(204)
  @RequireScope('categories:write')
  @ApiOperation({
    operationId: 'deleteCategory',
    summary: 'Remove a category',
    description: 'Pets keep its id. A category with others below it stays.',
  })
  @ApiParam(CATEGORY_ID)
  @ApiIfMatch()
  @ApiNoContentResponse({ description: 'The category is gone.' })
  @ApiErrors(new CategoryNotFound('4711'), new CategoryHasChildren('7'))
  remove(
    @Param('categoryId') categoryId: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    return this.categories.remove(categoryId, ifMatch);
  }

  @Get(':categoryId/pets')
  @RequireScope('pets:read')
  @ApiOperation({
    operationId: 'listPetsOfCategory',
    summary: 'List the pets of a category',
    description: 'In ascending order of `id`. Pets of the categories below it are not among them.',
  })
  @ApiParam(CATEGORY_ID)
  @Paged(PetResponse, { description: 'A page of pets.' })
  @ApiErrors(new CategoryNotFound('4711'))
  async listPets(
    @Param('categoryId') categoryId: string,
    @Query() query: PageQuery,
  ): Promise<Page<PetResponse>> {
    const { id } = await this.categories.get(categoryId);
    return this.pets.listOfCategory(id, query);
  }
}
