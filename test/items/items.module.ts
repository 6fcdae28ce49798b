import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Injectable,
  Module,
  type OnModuleInit,
  Patch,
  Post,
  Query,
} from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, In, Repository } from 'typeorm';
import {
  Changes,
  Created,
  Deprecated,
  DomainError,
  EventsModule,
  eventType,
  IfMatchCondition,
  findById,
  Id,
  Idempotent,
  IfMatch,
  type Int64,
  keysetPage,
  type Page,
  Paged,
  RequireScope,
  Tag,
  UnitOfWork,
  Updated,
} from '../../src/platform/index.js';
import { CreateItemDto, ItemResponse, ListItemsQuery, UpdateItemDto } from './item.dto.js';
import { Item } from './item.entity.js';

class ItemNotFound extends DomainError {
  static override readonly help = { meaning: 'No item has this id.', action: 'Do not repeat the request.' };

  constructor(id: Int64 | string) {
    super('not_found', 'item_not_found', `There is no item with the id ${id}.`);
  }
}

export const ITEM_CREATED = eventType('item.created', ItemResponse, { description: 'An item was added.' });
export const ITEM_UPDATED = eventType('item.updated', ItemResponse, { description: 'An item changed.' });
export const ITEM_DELETED = eventType('item.deleted', ItemResponse, { description: 'An item was removed.' });

@Injectable()
class ItemsService {
  constructor(@InjectRepository(Item) private readonly items: Repository<Item>) {}

  async list(query: ListItemsQuery): Promise<Page<ItemResponse>> {
    const { status, ids } = query;
    const page = await keysetPage(this.items, query, { status, id: ids && In([...ids]) });
    const items = page.map((item) => ItemResponse.from(item));
    return ids?.length === 1 ? items.asSingleItem() : items;
  }

  async create(newItem: CreateItemDto, changes: Changes): Promise<ItemResponse> {
    return ItemResponse.from(await changes.insert(Item, newItem, ITEM_CREATED));
  }

  async get(id: Int64): Promise<ItemResponse> {
    const item = await findById(this.items, id);
    if (!item) throw new ItemNotFound(id);
    return ItemResponse.from(item);
  }

  update(
    id: Int64,
    change: UpdateItemDto,
    condition: IfMatchCondition,
    changes: Changes,
  ): Promise<ItemResponse> {
    return changes.transaction(async (inside) => {
      const item = await this.lock(inside, id, condition);
      return ItemResponse.from(await inside.update(Item, item, change, ITEM_UPDATED));
    });
  }

  remove(id: Int64, condition: IfMatchCondition, changes: Changes): Promise<void> {
    return changes.transaction(async (inside) => {
      await inside.delete(Item, await this.lock(inside, id, condition), ITEM_DELETED);
    });
  }

  private async lock({ manager }: Changes, id: Int64, condition: IfMatchCondition): Promise<Item> {
    const item = await findById(manager.getRepository(Item), id, { lock: { mode: 'pessimistic_write' } });
    if (!item) throw new ItemNotFound(id);
    condition.check(ItemResponse.from(item));
    return item;
  }
}

@Tag('items', 'Items of the test suite')
@Controller({ path: 'items', version: '1' })
class ItemsController {
  constructor(private readonly items: ItemsService) {}

  @Get()
  @RequireScope('items:read')
  @ApiOperation({ operationId: 'listItems', summary: 'List items' })
  @Paged(ItemResponse, { description: 'A page of items.' })
  list(@Query() query: ListItemsQuery): Promise<Page<ItemResponse>> {
    return this.items.list(query);
  }

  @Post()
  @RequireScope('items:write')
  @Idempotent()
  @ApiOperation({ operationId: 'createItem', summary: 'Add an item' })
  @Created(ItemResponse)
  create(@Body() newItem: CreateItemDto, @UnitOfWork() changes: Changes): Promise<ItemResponse> {
    return this.items.create(newItem, changes);
  }

  @Get(':itemId')
  @RequireScope('items:read')
  @Deprecated({
    since: '2026-11-20',
    sunset: '2030-12-05',
    successor: '/v1/items',
    use: 'GET /v1/items with the status filter',
    documentation: '/docs#/items/getItem',
  })
  @ApiOperation({ operationId: 'getItem', summary: 'Get an item' })
  @ApiOkResponse({ type: ItemResponse, description: 'The item.' })
  get(@Id('itemId', ItemNotFound) id: Int64): Promise<ItemResponse> {
    return this.items.get(id);
  }

  @Patch(':itemId')
  @RequireScope('items:write')
  @ApiOperation({ operationId: 'updateItem', summary: 'Change an item' })
  @Updated(ItemResponse)
  update(
    @Id('itemId', ItemNotFound) id: Int64,
    @Body() change: UpdateItemDto,
    @IfMatch() condition: IfMatchCondition,
    @UnitOfWork() changes: Changes,
  ): Promise<ItemResponse> {
    return this.items.update(id, change, condition, changes);
  }

  @Delete(':itemId')
  @HttpCode(204)
  @RequireScope('items:write')
  @ApiOperation({ operationId: 'deleteItem', summary: 'Remove an item' })
  @ApiNoContentResponse({ description: 'The item was removed.' })
  remove(
    @Id('itemId', ItemNotFound) id: Int64,
    @IfMatch() condition: IfMatchCondition,
    @UnitOfWork() changes: Changes,
  ): Promise<void> {
    return this.items.remove(id, condition, changes);
  }
}

/**
 * A feature that is not part of the shop, written as any feature of it. The suites of the platform use it, so that they
 * still pass when the shop's features are removed or replaced.
 */
@Module({
  imports: [TypeOrmModule.forFeature([Item]), EventsModule],
  controllers: [ItemsController],
  providers: [ItemsService],
})
export class ItemsModule implements OnModuleInit {
  static readonly scopes = ['items:read', 'items:write'] as const;
  static readonly events = [ITEM_CREATED, ITEM_UPDATED, ITEM_DELETED];

  constructor(private readonly dataSource: DataSource) {}

  async onModuleInit(): Promise<void> {
    await this.dataSource.query(`
      CREATE TABLE IF NOT EXISTS items (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL CONSTRAINT items_name_length CHECK (char_length(name) BETWEEN 1 AND 200),
        amount bigint NOT NULL,
        status text NOT NULL
      )`);
  }
}
