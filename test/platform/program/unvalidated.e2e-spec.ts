import { Body, Controller, Get, Module, Param, ParseArrayPipe, Post, Query } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ApiBody } from '@nestjs/swagger';
import { AnyKey } from '../../../src/platform/index.js';
import { unvalidated } from '../../../src/platform/program/testing/unvalidated.js';
import { CreateItemDto } from '../../items/item.dto.js';
import type { CreateItemDto as TypeOnly } from '../../items/item.dto.js';
import { Petstore } from '../../support/petstore.js';

/* eslint-disable local/validated-types -- what it refuses is the subject */
@AnyKey()
@Controller({ path: 'takers', version: '1' })
class TakersController {
  @Post('type-only')
  typeOnly(@Body() item: TypeOnly): unknown {
    return item;
  }

  @Post('union')
  union(@Body() item: CreateItemDto | undefined): unknown {
    return item;
  }

  @Post('unknown')
  unknown(@Body() item: unknown): unknown {
    return item;
  }

  @Get('query')
  query(@Query() query: TypeOnly): unknown {
    return query;
  }

  @Post('class')
  class(@Body() item: CreateItemDto, @Query('a') a: unknown, @Param('b') b: unknown): unknown {
    return { item, a, b };
  }

  @Post('optional')
  optional(@Body() item?: CreateItemDto): unknown {
    return item;
  }

  @Post('pipe')
  pipe(
    @Body(new ParseArrayPipe({ items: CreateItemDto })) items: CreateItemDto[],
    @Query() q: object,
  ): unknown {
    return { items, q };
  }

  @Post('described')
  @ApiBody({ schema: { type: 'object', additionalProperties: { type: 'number' } } })
  described(@Body() sizes: Record<string, number>): unknown {
    return sizes;
  }
}

@Module({ controllers: [TakersController] })
class TakersModule {}

it('the handlers of which nothing validates a body or a query are named', async () => {
  const petstore = await Petstore.start({ modules: [TakersModule] });
  const found = unvalidated(petstore.app.get(DiscoveryService));
  await petstore.stop();
  expect(found.map((line) => line.split('. ')[0])).toEqual([
    'TakersController.typeOnly: nothing validates its body',
    'TakersController.union: nothing validates its body',
    'TakersController.unknown: nothing validates its body',
    'TakersController.query: nothing validates its query',
    'TakersController.pipe: nothing validates its query',
  ]);
});

it('those of this service have a class', async () => {
  const petstore = await Petstore.start();
  expect(unvalidated(petstore.app.get(DiscoveryService))).toEqual([]);
  await petstore.stop();
});
