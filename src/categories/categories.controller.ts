import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  ApiErrors,
  Changes,
  Created,
  type IfMatchCondition,
  Id,
  Idempotent,
  IfMatch,
  type Int64,
  type Page,
  Paged,
  PageQuery,
  RequireScope,
  Tag,
  UnitOfWork,
  Updated,
} from '../platform/index.js';
import { PetsPageQuery } from '../pets/dto/list-pets.query.js';
import { PetResponse } from '../pets/dto/pet.response.js';
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

@Tag('categories', 'Categories of pets')
@Controller({ path: 'categories', version: '1' })
export class CategoriesController {
  constructor(private readonly categories: CategoriesService) {}

  @Get()
  @RequireScope('categories:read')
  @ApiOperation({
    operationId: 'listCategories',
    summary: 'List categories',
    description:
      'Returns categories in ascending order of `id`. Follow the `Link` header to visit every category exactly once.',
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
    description: 'Names are unique regardless of case.',
  })
  @Created(CategoryResponse)
  @ApiErrors(new CategoryNameTaken('Dogs'), new ParentCategoryNotFound('4711'))
  create(@Body() newCategory: CreateCategoryDto, @UnitOfWork() changes: Changes): Promise<CategoryResponse> {
    return this.categories.create(newCategory, changes);
  }

  @Get(':categoryId')
  @RequireScope('categories:read')
  @ApiOperation({
    operationId: 'getCategory',
    summary: 'Get a category',
    description: 'The category with this `id`.',
  })
  @ApiOkResponse({ type: CategoryResponse, description: 'The category.' })
  get(@Id('categoryId', CategoryNotFound) id: Int64): Promise<CategoryResponse> {
    return this.categories.get(id);
  }

  @Patch(':categoryId')
  @RequireScope('categories:write')
  @ApiOperation({
    operationId: 'updateCategory',
    summary: 'Change a category',
    description:
      'A JSON merge patch (RFC 7396): properties you leave out stay unchanged, and `null` moves the category to ' +
      'the top level. A category cannot be its own ancestor.',
  })
  @Updated(CategoryResponse)
  @ApiErrors(new CategoryNameTaken('Dogs'), new CategoryCycle('1'), new ParentCategoryNotFound('4711'))
  update(
    @Id('categoryId', CategoryNotFound, { example: 5 }) id: Int64,
    @Body() change: UpdateCategoryDto,
    @IfMatch() condition: IfMatchCondition,
    @UnitOfWork() changes: Changes,
  ): Promise<CategoryResponse> {
    return this.categories.update(id, change, changes, condition);
  }

  @Delete(':categoryId')
  @HttpCode(204)
  @RequireScope('categories:write')
  @ApiOperation({
    operationId: 'deleteCategory',
    summary: 'Remove a category',
    description: 'Pets keep its id. A category with subcategories cannot be removed.',
  })
  @ApiNoContentResponse({ description: 'The category was removed.' })
  @ApiErrors(new CategoryHasChildren('1'))
  remove(
    @Id('categoryId', CategoryNotFound, {
      example: 4,
      note: 'To try it again, take one that the list of categories has.',
    })
    id: Int64,
    @IfMatch() condition: IfMatchCondition,
    @UnitOfWork() changes: Changes,
  ): Promise<void> {
    return this.categories.remove(id, changes, condition);
  }

  @Get(':categoryId/pets')
  @RequireScope('pets:read')
  @ApiOperation({
    operationId: 'listPetsOfCategory',
    summary: 'List the pets of a category',
    description:
      'Returns pets in ascending order of `id`, or newest first with `sort=-id`, without those of its subcategories.',
  })
  @Paged(PetResponse, { description: 'A page of pets.' })
  listPets(
    @Id('categoryId', CategoryNotFound) id: Int64,
    @Query() query: PetsPageQuery,
  ): Promise<Page<PetResponse>> {
    return this.categories.listPets(id, query);
  }
}
