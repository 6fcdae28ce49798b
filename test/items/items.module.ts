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
import { DataSource, type EntityManager, In, Repository } from 'typeorm';
import {
  Changes,
  Created,
  Deprecated,
  DomainError,
  EventsModule,
  eventType,
  ExpectedVersion,
  Id,
  Idempotent,
  IfMatch,
  type Int64,
  keysetPage,
  type Page,
  Paged,
  RequireScope,
  Tag,
  Updated,
} from '../../src/platform.js';
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
  constructor(
    @InjectRepository(Item) private readonly items: Repository<Item>,
    private readonly changes: Changes,
  ) {}

  async list(query: ListItemsQuery): Promise<Page<ItemResponse>> {
    const { status, ids } = query;
    const page = await keysetPage(this.items, query, { status, id: ids && In([...ids]) });
    const items = page.map((item) => ItemResponse.from(item));
    return ids?.length === 1 ? items.ofOneId() : items;
  }

  async create(newItem: CreateItemDto): Promise<ItemResponse> {
    return ItemResponse.from(await this.changes.insert(Item, newItem, ITEM_CREATED));
  }

  async get(id: Int64): Promise<ItemResponse> {
    const item = await this.items.findOneBy({ id });
    if (!item) throw new ItemNotFound(id);
    return ItemResponse.from(item);
  }

  update(id: Int64, change: UpdateItemDto, expected: ExpectedVersion): Promise<ItemResponse> {
    return this.items.manager.transaction(async (manager) => {
      const item = await this.lock(manager, id, expected);
      return ItemResponse.from(await this.changes.in(manager).update(Item, item, change, ITEM_UPDATED));
    });
  }

  async remove(id: Int64, expected: ExpectedVersion): Promise<void> {
    await this.items.manager.transaction(async (manager) => {
      await this.changes.in(manager).delete(Item, await this.lock(manager, id, expected), ITEM_DELETED);
    });
  }

  private async lock(manager: EntityManager, id: Int64, expected: ExpectedVersion): Promise<Item> {
    const item = await manager.findOne(Item, { where: { id }, lock: { mode: 'pessimistic_write' } });
    if (!item) throw new ItemNotFound(id);
    expected.check(ItemResponse.from(item));
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
  create(@Body() newItem: CreateItemDto): Promise<ItemResponse> {
    return this.items.create(newItem);
  }

  @Get(':itemId')
  @RequireScope('items:read')
  @Deprecated({
    since: '2026-11-20',
    sunset: '2030-12-05',
    successor: '/v1/items',
    use: 'GET /v1/items?ids=',
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
    @IfMatch() expected: ExpectedVersion,
  ): Promise<ItemResponse> {
    return this.items.update(id, change, expected);
  }

  @Delete(':itemId')
  @HttpCode(204)
  @RequireScope('items:write')
  @ApiOperation({ operationId: 'deleteItem', summary: 'Remove an item' })
  @ApiNoContentResponse({ description: 'The item was removed.' })
  remove(@Id('itemId', ItemNotFound) id: Int64, @IfMatch() expected: ExpectedVersion): Promise<void> {
    return this.items.remove(id, expected);
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
