import {
  type ArgumentMetadata,
  BadRequestException,
  Body,
  Controller,
  createParamDecorator,
  DefaultValuePipe,
  type ExecutionContext,
  Get,
  Headers,
  HostParam,
  Injectable,
  Ip,
  Module,
  Param,
  ParseArrayPipe,
  ParseBoolPipe,
  ParseDatePipe,
  ParseEnumPipe,
  ParseFloatPipe,
  ParseIntPipe,
  ParseUUIDPipe,
  type PipeTransform,
  Post,
  Query,
  Req,
  UsePipes,
} from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Topic } from './topics.js';

enum Colour {
  Red = 'red',
  Blue = 'blue',
}

/** Reads the query, which its route does not name. */
const Fields = createParamDecorator((_: unknown, context: ExecutionContext): string[] => {
  const { query } = context.switchToHttp().getRequest<Request>();
  return typeof query.fields === 'string' ? query.fields.split(',') : [];
});

const Agent = createParamDecorator((name: string, context: ExecutionContext) =>
  context.switchToHttp().getRequest<Request>().get(name),
);

@Injectable()
class UpperCasePipe implements PipeTransform {
  transform(value: unknown, { type, data }: ArgumentMetadata): unknown {
    if (typeof value !== 'string') throw new BadRequestException(`${type} ${String(data)} must be a text`);
    return value.toUpperCase();
  }
}

/** As the decorators of caches, metrics and tracing: another function in place of the method, with its metadata. */
const Wrapped = (): MethodDecorator => (_target, _name, descriptor: PropertyDescriptor) => {
  const method = descriptor.value as (...args: unknown[]) => unknown;
  const wrapper = function (this: unknown, ...args: unknown[]) {
    return method.apply(this, args);
  };
  for (const key of Reflect.getMetadataKeys(method))
    Reflect.defineMetadata(key, Reflect.getMetadata(key, method), wrapper);
  descriptor.value = wrapper;
};

@Controller({ path: 'on-pipes', version: '1' })
class PipesController {
  @Wrapped()
  @Get('wrapped')
  wrapped(@Query('x') x: string): object {
    return { x };
  }

  @Get('plain')
  plain(@Query('x') x: unknown, @Query('n') n: number, @Query('b') b: boolean): object {
    return { x, n, b };
  }

  @Get('int')
  int(@Query('n', ParseIntPipe) n: number): object {
    return { n };
  }

  @Get('optional-int')
  optionalInt(@Query('n', new ParseIntPipe({ optional: true })) n?: number): object {
    return { n };
  }

  @Get('default')
  default(
    @Query('page', new DefaultValuePipe(1), ParseIntPipe) page: number,
    @Query('all', new DefaultValuePipe(false), ParseBoolPipe) all: boolean,
  ): object {
    return { page, all };
  }

  @Get('kinds')
  kinds(
    @Query('bool', ParseBoolPipe) bool: boolean,
    @Query('float', ParseFloatPipe) float: number,
    @Query('colour', new ParseEnumPipe(Colour)) colour: Colour,
    @Query('ids', new ParseArrayPipe({ items: Number, separator: ',' })) ids: number[],
    @Query('day', ParseDatePipe) day: Date,
  ): object {
    return { bool, float, colour, ids, day };
  }

  @Get('all')
  all(@Query() query: unknown): object {
    return { query };
  }

  @Get('record')
  record(@Query() query: Record<string, string>): object {
    return { query };
  }

  @Get('fields')
  fields(@Fields() fields: string[]): object {
    return { fields };
  }

  @Get('fields-and-more')
  fieldsAndMore(@Fields() fields: string[], @Query('x') x: string): object {
    return { fields, x };
  }

  @Get('fields-piped')
  fieldsPiped(@Fields(new ParseArrayPipe({ items: String })) fields: string[]): object {
    return { fields };
  }

  @Get('request')
  request(@Req() { query }: Request): object {
    return { query };
  }

  @Get('documented')
  @ApiQuery({ name: 'shown', required: false })
  documented(@Query('x') x?: string): object {
    return { x };
  }

  @Get('none')
  none(): object {
    return {};
  }

  @Get('headers')
  headers(
    @Headers() headers: Record<string, string>,
    @Headers('X-Own') own: string,
    @Ip() ip: string,
    @HostParam() host: unknown,
    @Agent('x-own') agent: string,
  ): object {
    return { all: headers['x-own'], own, ip, host, agent };
  }

  @Get('uuid/:id')
  uuid(@Param('id', ParseUUIDPipe) id: string): object {
    return { id };
  }

  @Get('int/:id')
  intParam(@Param('id', ParseIntPipe) id: number): object {
    return { id };
  }

  @Get('params/:a/:b')
  params(@Param() params: Record<string, string>, @Param('a') a: string): object {
    return { params, a };
  }

  @Get('raw/:n')
  raw(@Param('n') n: number): object {
    return { n };
  }

  @Post('upper')
  @UsePipes(UpperCasePipe)
  upper(@Body('name') name: string, @Query('q') q: string): object {
    return { name, q };
  }

  @Post('upper-one')
  upperOne(@Body('name', UpperCasePipe) name: string, @Body('other') other: unknown): object {
    return { name, other };
  }

  @Post('ids')
  ids(@Body(new ParseArrayPipe({ items: Number })) ids: number[]): object {
    return { ids };
  }

  @Post('property-int')
  memberInt(@Body('n', ParseIntPipe) n: number): object {
    return { n };
  }
}

@Module({ controllers: [PipesController] })
class PipesModule {}

const PATH = '/v1/on-pipes';
const UUID = '6f1c2c1e-8d7a-4b62-9d3c-0a4f5f0a1b2c';
const DAY = '2026-01-01T00:00:00.000Z';

export const pipes: Topic = {
  name: 'with parameters and pipes',
  module: PipesModule,
  tests(scene) {
    const get = async (path: string) => {
      const response = await scene().client.get(`${PATH}/${path}`).set('X-Own', 'mine');
      return { status: response.status, body: response.body as Record<string, unknown> };
    };

    it.each([
      ['plain?x=1&n=2&b=true', { x: '1', n: 2, b: 'true' }],
      ['plain?x=1&x=2', { x: ['1', '2'] }],
      ['plain?x=', { x: '' }],
      ['plain', {}],
      ['int?n=5', { n: 5 }],
      ['int?n=-5', { n: -5 }],
      ['optional-int', {}],
      ['default', { page: 1, all: false }],
      ['default?page=3&all=true', { page: 3, all: true }],
      [
        `kinds?bool=false&float=1.5&colour=red&ids=1,2&day=2026-01-01`,
        { bool: false, float: 1.5, colour: 'red', ids: [1, 2], day: DAY },
      ],
      ['all?a=1&b=2', { query: { a: '1', b: '2' } }],
      ['record?a=1', { query: { a: '1' } }],
      ['fields?fields=a,b', { fields: ['a', 'b'] }],
      ['fields?fields=a&more=1', { fields: ['a'] }],
      ['fields-and-more?fields=a&x=1', { fields: ['a'], x: '1' }],
      ['fields-piped?fields=a,b', { fields: ['a', 'b'] }],
      ['request?anything=1', { query: { anything: '1' } }],
      ['documented?x=1&shown=2', { x: '1' }],
      ['none', {}],
      ['none?', {}],
      ['headers', { all: 'mine', own: 'mine', ip: '127.0.0.1', host: {}, agent: 'mine' }],
      [`uuid/${UUID}`, { id: UUID }],
      ['int/7', { id: 7 }],
      ['params/1/x', { params: { a: '1', b: 'x' }, a: '1' }],
      ['raw/7', { n: 7 }],
      ['wrapped?x=1', { x: '1' }],
    ])('gives %s what the documentation says', async (path, expected) => {
      expect(await get(path)).toEqual({ status: 200, body: expected });
    });

    it.each([
      ['int', 'bad_request'],
      ['int?n=', 'bad_request'],
      ['int?n=x', 'bad_request'],
      ['int?n=1e3', 'bad_request'],
      ['int?n=0x10', 'bad_request'],
      ['int?n=%205', 'bad_request'],
      ['int?n=1.0', 'bad_request'],
      ['optional-int?n=x', 'bad_request'],
      ['default?all=yes', 'bad_request'],
      ['kinds?bool=1&float=x&colour=green&ids=a&day=never', 'bad_request'],
      ['uuid/7', 'bad_request'],
      ['int/x', 'bad_request'],
      ['int?n=5&m=6', 'validation_failed'],
      ['plain?y=1', 'validation_failed'],
      ['wrapped?y=1', 'validation_failed'],
      ['documented?hidden=1', 'validation_failed'],
      ['none?a=1', 'validation_failed'],
      ['headers?a=1', undefined],
      ['int/7?a=1', 'validation_failed'],
    ])('refuses %s with 400, if it is known to be wrong', async (path, code) => {
      const { status, body } = await get(path);
      expect({ status, code: body.code }).toEqual({ status: code === undefined ? 200 : 400, code });
    });

    const post = async (path: string, body: string) => {
      const response = await scene()
        .client.post(`${PATH}/${path}`)
        .set('Content-Type', 'application/json')
        .send(body);
      return { status: response.status, body: response.body as Record<string, unknown> };
    };

    it.each([
      ['upper?q=a', '{"name":"rex"}', { name: 'REX', q: 'A' }],
      ['upper-one', '{"name":"rex","other":[1]}', { name: 'REX', other: [1] }],
      ['ids', '[1,2]', { ids: [1, 2] }],
      ['property-int', '{"n":5}', { n: 5 }],
      ['property-int', '{"n":"5"}', { n: 5 }],
    ])('applies the pipes of %s to %s', async (path, body, expected) => {
      expect(await post(path, body)).toEqual({ status: 201, body: expected });
    });

    it.each([
      ['upper', '{"name":"rex"}', 'query q must be a text'],
      ['upper?q=a', '{"name":5}', 'body name must be a text'],
      ['upper-one', '{}', 'body name must be a text'],
      ['ids', '["a"]', 'item must be a number'],
      ['ids', '{}', 'Validation failed (parsable array expected)'],
      ['property-int', '{"n":1.5}', 'Validation failed (numeric string is expected)'],
    ])('refuses %s %s with the message of the pipe', async (path, body, message) => {
      const response = await post(path, body);
      expect(response).toMatchObject({ status: 400, body: { code: 'bad_request', status: 400 } });
      expect(response.body.message).toContain(message);
    });
  },
};
