import {
  Body,
  Controller,
  Get,
  HttpStatus,
  Injectable,
  Module,
  Param,
  ParseArrayPipe,
  Patch,
  Post,
  Put,
  Query,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import {
  ApiProperty,
  ApiPropertyOptional,
  IntersectionType,
  OmitType,
  PartialType,
  PickType,
} from '@nestjs/swagger';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsBoolean,
  IsDate,
  IsDefined,
  IsEmail,
  IsEnum,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumberString,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  MaxLength,
  Min,
  registerDecorator,
  Validate,
  ValidateIf,
  ValidateNested,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import type { Int64 } from '../../src/kernel/json/int64.js';
import { Int64Field } from '../../src/http/validation/property.decorators.js';
import { expectErrorResponse } from '../support/promises.js';
import type { Topic } from './topics.js';

enum Size {
  Small = 'small',
  Large = 'large',
}

/** A DTO with a default, and with one more rule than its properties have types. */
class CreateToyDto {
  @ApiProperty()
  @IsString()
  @Length(1, 20)
  readonly name!: string;

  @ApiPropertyOptional({ enum: Size })
  @IsOptional()
  @IsEnum(Size)
  readonly size: Size = Size.Small;

  @ApiPropertyOptional()
  @IsInt()
  @Min(0)
  readonly price: number = 5;

  @ApiPropertyOptional()
  @IsOptional()
  @IsString({ each: true })
  readonly tags?: string[];
}

class OwnerDto {
  @ApiProperty()
  @IsEmail()
  readonly email!: string;
}

class NamedOtherwiseDto {
  @Expose({ name: 'other_name' })
  @IsOptional()
  @IsString()
  readonly otherName: string = 'default';
}

class UpdateToyDto extends PartialType(CreateToyDto) {}
class NameDto extends PickType(CreateToyDto, ['name'] as const) {}
class SizedDto extends PickType(CreateToyDto, ['size', 'price'] as const) {}
class NamelessDto extends OmitType(CreateToyDto, ['name'] as const) {}
class OwnedToyDto extends IntersectionType(CreateToyDto, OwnerDto) {}
class UpdateOwnedToyDto extends PartialType(IntersectionType(CreateToyDto, OwnerDto)) {}
class MixedUpdateDto extends IntersectionType(PartialType(CreateToyDto), OwnerDto) {
  readonly note = 'own';
}

class AddressDto {
  @IsString()
  @IsNotEmpty()
  readonly street!: string;

  @IsOptional()
  @IsString()
  readonly country: string = 'DE';
}

class LineDto {
  @Int64Field({})
  readonly id!: Int64;

  @IsInt()
  @Max(10)
  readonly count!: number;
}

class OrderDto {
  @IsDefined()
  @ValidateNested()
  @Type(() => AddressDto)
  readonly address!: AddressDto;

  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(3)
  @ValidateNested({ each: true })
  @Type(() => LineDto)
  readonly lines!: LineDto[];

  @IsOptional()
  @IsObject()
  readonly anything?: Record<string, unknown>;
}

class TreeDto {
  @IsString()
  readonly name!: string;

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => TreeDto)
  readonly children?: TreeDto[];
}

class CatDto {
  @IsIn(['cat'])
  readonly kind!: 'cat';

  @IsInt()
  readonly lives!: number;
}

class DogDto {
  @IsIn(['dog'])
  readonly kind!: 'dog';

  @IsBoolean()
  readonly barks!: boolean;
}

class HouseDto {
  @ValidateNested({ each: true })
  @Type(() => CatDto, {
    keepDiscriminatorProperty: true,
    discriminator: {
      property: 'kind',
      subTypes: [
        { name: 'cat', value: CatDto },
        { name: 'dog', value: DogDto },
      ],
    },
  })
  readonly pets!: (CatDto | DogDto)[];
}

/** As in the documentation of class-validator. */
function IsLongerThan(property: string): PropertyDecorator {
  return (object, propertyName) => {
    registerDecorator({
      name: 'isLongerThan',
      target: object.constructor,
      propertyName: String(propertyName),
      constraints: [property],
      validator: {
        validate(value: unknown, args) {
          const other = (args?.object as Record<string, unknown>)[property];
          return typeof value === 'string' && typeof other === 'string' && value.length > other.length;
        },
        defaultMessage: () => `$property must be longer than ${property}`,
      },
    });
  };
}

const asked: string[] = [];

@Injectable()
class TakenNames {
  async has(name: string): Promise<boolean> {
    await Promise.resolve();
    if (name === 'broken') throw new Error('the names are away');
    return name === 'taken';
  }
}

/** An asynchronous rule that needs a provider. */
@ValidatorConstraint({ name: 'isFree', async: true })
@Injectable()
class IsFree implements ValidatorConstraintInterface {
  constructor(private readonly names: TakenNames) {}

  async validate(name: unknown): Promise<boolean> {
    asked.push(String(name));
    return !(await this.names.has(String(name)));
  }

  defaultMessage(): string {
    return '$property is taken';
  }
}

class RulesDto {
  @IsString()
  readonly short!: string;

  @IsLongerThan('short')
  readonly long!: string;

  @IsOptional()
  @Validate(IsFree)
  readonly unique?: string;
}

class ThrowingDto {
  @Transform(({ value }: { value: unknown }) => BigInt(value as string)) // of `one` it throws
  @IsDefined()
  readonly count!: bigint;

  @IsString()
  readonly name!: string;
}

class ConversionDto {
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @IsString()
  @MaxLength(5)
  readonly trimmed!: string;

  @IsOptional()
  @Type(() => Date)
  @IsDate()
  readonly date?: Date;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  readonly number?: number;

  @Expose({ name: 'other_name' })
  @IsOptional()
  @IsString()
  readonly otherName?: string;

  @Exclude()
  @IsOptional()
  readonly secret?: string;
}

class ConditionDto {
  @IsIn(['post', 'mail'])
  readonly way!: string;

  @ValidateIf(({ way }: ConditionDto) => way === 'mail')
  @IsEmail()
  readonly mail?: string;
}

class GroupsDto {
  @IsUUID('4', { groups: ['update'] })
  readonly id?: string;

  @IsString({ always: true })
  readonly name!: string;

  @IsInt({ groups: ['create'] })
  readonly price?: number;
}

class MessagesDto {
  @IsString({ message: 'Say it in words' })
  readonly own!: string;

  @IsOptional()
  @IsString({ context: { code: 'moon_phase' } })
  readonly context?: string;

  @IsOptional()
  @IsEmail()
  readonly mail?: string;
}

class SearchQuery {
  @IsOptional()
  @IsString()
  readonly term?: string;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  readonly page: number = 1;
}

class ToyParams {
  @IsNumberString()
  readonly id!: string;
}

/** Not a DTO: it has no rules. */
class PlainClass {
  readonly name!: string;
}

@Controller({ path: 'on-validation', version: '1' })
class ValidationController {
  @Post('toy')
  toy(@Body() body: CreateToyDto): object {
    return { body, isDto: body instanceof CreateToyDto };
  }

  @Patch('toy')
  patchToy(@Body() body: UpdateToyDto): object {
    return { body, isDto: body instanceof UpdateToyDto };
  }

  @Put('toy')
  putToy(@Body() body: UpdateToyDto): object {
    return { body };
  }

  @Patch('owned')
  patchOwned(@Body() body: UpdateOwnedToyDto): object {
    return { body };
  }

  @Patch('mixed')
  patchMixed(@Body() body: MixedUpdateDto): object {
    return { body };
  }

  @Patch('named-otherwise')
  patchNamedOtherwise(@Body() body: NamedOtherwiseDto): object {
    return { body };
  }

  @Patch('order')
  patchOrder(@Body() body: OrderDto): object {
    return { body };
  }

  @Post('name')
  name(@Body() body: NameDto): object {
    return { body };
  }

  @Post('sized')
  sized(@Body() body: SizedDto): object {
    return { body };
  }

  @Post('nameless')
  nameless(@Body() body: NamelessDto): object {
    return { body };
  }

  @Post('owned')
  owned(@Body() body: OwnedToyDto): object {
    return { body };
  }

  @Post('order')
  order(@Body() { address, lines, anything }: OrderDto): object {
    const areDtos = address instanceof AddressDto && lines.every((line) => line instanceof LineDto);
    return { address, lines, anything, areDtos };
  }

  @Post('tree')
  tree(@Body() body: TreeDto): object {
    return { body };
  }

  @Post('house')
  house(@Body() { pets }: HouseDto): object {
    return { pets: pets.map((pet) => pet.constructor.name) };
  }

  @Post('rules')
  rules(@Body() body: RulesDto): object {
    return { body };
  }

  @Post('messages')
  messages(@Body() body: MessagesDto): object {
    return { body };
  }

  @Post('throwing')
  throwing(@Body() { count, name }: ThrowingDto): object {
    return { count, name };
  }

  @Post('conversion')
  conversion(@Body() body: ConversionDto): object {
    return { body, isDate: body.date instanceof Date };
  }

  @Post('condition')
  condition(@Body() body: ConditionDto): object {
    return { body };
  }

  @Post('groups')
  @UsePipes(new ValidationPipe({ groups: ['create'] }))
  groups(@Body() body: GroupsDto): object {
    return { body };
  }

  @Post('own-pipe')
  @UsePipes(new ValidationPipe({ transform: true, errorHttpStatusCode: HttpStatus.UNPROCESSABLE_ENTITY }))
  ownPipe(@Body() body: GroupsDto): object {
    return { body };
  }

  @Post('array')
  array(@Body(new ParseArrayPipe({ items: CreateToyDto })) toys: CreateToyDto[]): object {
    return { toys, areDtos: toys.every((toy) => toy instanceof CreateToyDto) };
  }

  @Post('lines')
  lines(@Body(new ParseArrayPipe({ items: LineDto })) lines: LineDto[]): object {
    return { lines };
  }

  @Post('unchecked-array')
  uncheckedArray(@Body() toys: CreateToyDto[]): object {
    return { toys };
  }

  @Post('part')
  part(@Body('address') address: AddressDto): object {
    return { address, isDto: address instanceof AddressDto };
  }

  @Post('plain')
  plain(@Body() body: PlainClass): object {
    return { body };
  }

  @Post('optional')
  optional(@Body() body: UpdateToyDto): object {
    return { body };
  }

  @Get('search')
  search(@Query() query: SearchQuery): object {
    return { query, isDto: query instanceof SearchQuery };
  }

  @Get('toys/:id/parts/:part')
  parameters(@Param() { id }: ToyParams, @Param('part') part: string): object {
    return { id, part };
  }
}

@Module({ controllers: [ValidationController], providers: [IsFree, TakenNames] })
class ValidationModule {}

const PATH = '/v1/on-validation';
const PLAIN_TOY = { name: 'Ball', size: 'small', price: 5 };
const ADDRESS = { street: 'Main Street' };
const LINES = [{ id: 1, count: 2 }];

export const validation: Topic = {
  name: 'with DTOs',
  module: ValidationModule,
  tests(scene) {
    const ask = async (method: 'post' | 'patch' | 'put', path: string, body?: string | object) => {
      const asking = scene().client[method](`${PATH}/${path}`);
      const { status, text } = await (body === undefined
        ? asking
        : asking.set('Content-Type', 'application/json').send(body));
      return { status, body: JSON.parse(text) as Record<string, unknown>, text };
    };
    const refused = async (...of: Parameters<typeof ask>) => {
      const { status, body } = await ask(...of);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' });
      return (body.details as { field: string }[]).map(({ field }) => field).sort();
    };

    it('makes instances, with their defaults', async () => {
      expect(await ask('post', 'toy', { name: 'Ball' })).toMatchObject({
        status: 201,
        body: { body: PLAIN_TOY, isDto: true },
      });
    });

    it.each([
      [{}, ['name']],
      [{ name: '' }, ['name']],
      [{ name: 5 }, ['name']],
      [{ name: 'x'.repeat(21), size: 'huge', price: -1 }, ['name', 'price', 'size']],
      [{ name: 'Ball', price: null }, ['price']],
      [{ name: 'Ball', tags: ['a', 5] }, ['tags']],
      [{ name: 'Ball', colour: 'red', shape: 'round' }, ['colour', 'shape']],
      [{ colour: 'red' }, ['colour', 'name']],
      [[], ['body']],
      ['null', ['body']],
      ['"text"', ['body']],
      [undefined, ['body']],
    ])('refuses %j, and names %j', async (body, fields) => {
      expect(await refused('post', 'toy', body)).toEqual(fields);
    });

    it.each([
      ['toy', {}, {}],
      ['toy', { price: 7 }, { price: 7 }],
      ['toy', { name: 'Ball', tags: [] }, { name: 'Ball', tags: [] }],
      ['owned', { email: 'a@b.de' }, { email: 'a@b.de' }],
      ['mixed', { email: 'a@b.de' }, { email: 'a@b.de' }],
      ['named-otherwise', {}, {}],
      ['named-otherwise', { other_name: 'a' }, { otherName: 'a' }],
      ['order', { address: ADDRESS, lines: LINES }, { address: ADDRESS, lines: LINES }],
    ])('puts nothing into a PATCH of %s that its body %j has not', async (path, body, expected) => {
      const response = await ask('patch', path, body);
      expect({ status: response.status, body: response.body.body }).toEqual({ status: 200, body: expected });
    });

    it.each([
      ['toy', { name: '' }, ['name']],
      ['toy', { size: 'huge' }, ['size']],
      ['toy', { id: 1 }, ['id']],
      ['owned', { email: 'none' }, ['email']],
      ['mixed', {}, ['email']],
    ])('refuses in a PATCH of %s what is wrong in %j', async (path, body, fields) => {
      expect(await refused('patch', path, body)).toEqual(fields);
    });

    it.each([
      ['post', 'name', { name: 'Ball' }, { name: 'Ball' }],
      ['post', 'sized', {}, { size: 'small', price: 5 }],
      ['post', 'nameless', { price: 1 }, { size: 'small', price: 1 }],
      ['post', 'owned', { name: 'Ball', email: 'a@b.de' }, { ...PLAIN_TOY, email: 'a@b.de' }],
      ['put', 'toy', { name: 'Ball' }, PLAIN_TOY],
    ] as const)(
      'keeps the defaults of mapped types elsewhere: %s %s %j',
      async (method, path, body, expected) => {
        expect((await ask(method, path, body)).body.body).toEqual(expected);
      },
    );

    it.each([
      ['name', { name: 'Ball', price: 5 }, ['price']],
      ['nameless', { name: 'Ball' }, ['name']],
      ['owned', { name: 'Ball' }, ['email']],
    ])('refuses what the mapped type of %s has not, or lacks: %j', async (path, body, fields) => {
      expect(await refused('post', path, body)).toEqual(fields);
    });

    it('takes no body at all where nothing in it is required', async () => {
      expect(await ask('post', 'optional')).toMatchObject({ status: 201, body: { body: { price: 5 } } });
    });

    it('checks nested DTOs and makes instances of them', async () => {
      const anything = { a: [1, { b: null }] };
      const body = { address: ADDRESS, lines: LINES, anything };
      expect((await ask('post', 'order', body)).body).toEqual({
        address: { ...ADDRESS, country: 'DE' },
        lines: LINES,
        anything,
        areDtos: true,
      });
    });

    it.each([
      [{ lines: LINES }, ['address']],
      [{ address: {}, lines: LINES }, ['address.street']],
      [{ address: { street: 5, country: 7 }, lines: LINES }, ['address.country', 'address.street']],
      [{ address: 'text', lines: LINES }, ['address']],
      [{ address: [], lines: [] }, ['lines']],
      [{ address: { ...ADDRESS, zip: 1 }, lines: LINES }, ['address.zip']],
      [
        {
          address: ADDRESS,
          lines: [
            { id: 1, count: 11 },
            { id: 1.5, count: 1 },
          ],
        },
        ['lines.0.count', 'lines.1.id'],
      ],
      [{ address: ADDRESS, lines: [{ id: 1, count: 1, more: 1 }] }, ['lines.0.more']],
      [{ address: ADDRESS, lines: [5] }, ['lines.0']],
      [{ address: ADDRESS, lines: [null] }, ['lines.0']],
      [{ address: ADDRESS, lines: Array(4).fill(LINES[0]) }, ['lines']],
      [{ address: ADDRESS, lines: Array(9_000).fill({}) }, ['lines']],
      [{ address: ADDRESS, lines: LINES, anything: [] }, ['anything']],
    ])('refuses what is wrong inside: %.60j', async (body, fields) => {
      expect(await refused('post', 'order', body)).toEqual(fields);
    });

    it.each([
      [
        'order',
        { address: ADDRESS, lines: [{ id: 1, count: 11 }] },
        '/lines/0/count',
        'range',
        'lines.0.count must not be greater than 10',
      ],
      ['order', { address: {}, lines: LINES }, '/address/street', 'required', 'address.street is required'],
      [
        'order',
        { address: ADDRESS, lines: [{ id: 1, count: 1, 'a/b': 1 }] },
        '/lines/0/a~1b',
        'unknown',
        'Unknown property: lines.0.a/b',
      ],
      ['order', { address: ADDRESS, lines: [] }, '/lines', 'length', 'lines should not be empty'],
      ['part', { address: { street: 5 } }, '/address/street', 'type', 'address.street must be a string'],
      ['toy', { name: 'a', tags: [5] }, '/tags', 'type', 'each value in tags must be a string'],
      ['rules', { short: 'ab', long: 'a' }, '/long', 'invalid', 'long must be longer than short'],
      ['conversion', { trimmed: 'a', other_name: 5 }, '/other_name', 'type', 'other_name must be a string'],
      ['messages', { own: 5 }, '/own', 'type', 'Say it in words'],
      ['messages', {}, '/own', 'required', 'Say it in words'],
      ['messages', { own: 'a', context: 5 }, '/context', 'moon_phase', 'context must be a string'],
      ['messages', { own: 'a', mail: 'b' }, '/mail', 'format', 'mail must be an email'],
    ])('tells where and why %s is refused for %j', async (path, body, pointer, code, message) => {
      const [detail] = (await ask('post', path, body)).body.details as Record<string, unknown>[];
      expect(detail).toMatchObject({ in: 'body', pointer, code, message });
    });

    it('checks DTOs that contain themselves', async () => {
      const tree = { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] };
      expect((await ask('post', 'tree', tree)).body).toEqual({ body: tree });
      const wrong = { name: 'a', children: [{ name: 'b', children: [{ name: 5, x: 1 }] }] };
      expect(await refused('post', 'tree', wrong)).toEqual([
        'children.0.children.0.name',
        'children.0.children.0.x',
      ]);
    });

    it('chooses among types by a discriminator', async () => {
      const pets = [
        { kind: 'cat', lives: 9 },
        { kind: 'dog', barks: true },
      ];
      expect((await ask('post', 'house', { pets })).body).toEqual({ pets: ['CatDto', 'DogDto'] });
      expect(await refused('post', 'house', { pets: [{ kind: 'dog', lives: 9 }] })).toEqual([
        'pets.0.barks',
        'pets.0.lives',
      ]);
    });

    it('is exact to the last digit, wherever an int64 stands', async () => {
      const line = '{"id":9007199254740993,"count":1}';
      const order = await ask('post', 'order', `{"address":{"street":"a"},"lines":[${line}]}`);
      expect(order.text).toContain('"id":9007199254740993');
      expect((await ask('post', 'lines', `[${line}]`)).text).toContain('"id":9007199254740993');
      expect(
        await refused('post', 'order', `{"address":{"street":"a"},"lines":[{"id":1.5,"count":1}]}`),
      ).toEqual(['lines.0.id']);
    });

    it('asks decorators of a module, asynchronous ones with providers too, and each once', async () => {
      asked.length = 0;
      expect((await ask('post', 'rules', { short: 'a', long: 'ab', unique: 'free' })).status).toBe(201);
      expect(await refused('post', 'rules', { short: 'ab', long: 'a', unique: 'taken' })).toEqual([
        'long',
        'unique',
      ]);
      expect(asked).toEqual(['free', 'taken']);
    });

    it('shows nothing of a rule that fails by itself, and goes on', async () => {
      const broken = await ask('post', 'rules', { short: 'a', long: 'ab', unique: 'broken' });
      expect(broken).toMatchObject({ status: 500, body: { code: 'internal_error' } });
      expect((await ask('post', 'rules', { short: 'a', long: 'ab' })).status).toBe(201);
    });

    it('converts as class-transformer says', async () => {
      const body = { trimmed: ' a ', date: '2026-01-01', number: '7', other_name: 'b' };
      expect((await ask('post', 'conversion', body)).body).toEqual({
        body: { trimmed: 'a', date: '2026-01-01T00:00:00.000Z', number: 7, otherName: 'b' },
        isDate: true,
      });
      const wrong = { trimmed: '  123456', date: 'never', number: 'x' };
      expect(await refused('post', 'conversion', wrong)).toEqual(['date', 'number', 'trimmed']);
    });

    it('takes what a @Transform() throws for a fault of the service, as the pipe of Nest does', async () => {
      expect((await ask('post', 'throwing', { count: '7', name: 'a' })).body).toEqual({
        count: 7,
        name: 'a',
      });
      const wrong = await ask('post', 'throwing', { count: 'one', name: 'a' });
      expect(wrong).toMatchObject({ status: 500, body: { code: 'internal_error' } });
    });

    it('heeds conditions', async () => {
      expect((await ask('post', 'condition', { way: 'post' })).status).toBe(201);
      expect(await refused('post', 'condition', { way: 'mail' })).toEqual(['mail']);
      expect((await ask('post', 'condition', { way: 'mail', mail: 'a@b.de' })).status).toBe(201);
    });

    it('leaves groups to the pipe of the route', async () => {
      expect((await ask('post', 'groups', { name: 'a', price: 1 })).status).toBe(201);
      const wrong = await ask('post', 'groups', { name: 'a', price: 'x' });
      expect(wrong).toMatchObject({ status: 400, body: { code: 'bad_request' } });
      expect(wrong.body.message).toContain('price must be an integer');
      expect(await refused('post', 'groups', { name: 5, price: 1 })).toEqual(['name']);
      expect(await ask('post', 'own-pipe', { name: 'a' })).toMatchObject({ status: 422 });
    });

    it('takes arrays of DTOs with ParseArrayPipe', async () => {
      expect((await ask('post', 'array', [{ name: 'a' }, { name: 'b', price: 1 }])).body).toEqual({
        toys: [
          { name: 'a', size: 'small', price: 5 },
          { name: 'b', size: 'small', price: 1 },
        ],
        areDtos: true,
      });
      expect((await ask('post', 'array', [])).body).toMatchObject({ toys: [] });
      for (const body of [[{ name: 'a' }, { name: '' }], [5], {}, '"text"', 'null']) {
        expect(await ask('post', 'array', body)).toMatchObject({
          status: 400,
          body: { code: 'bad_request' },
        });
      }
      expect((await ask('post', 'unchecked-array', [{ anything: 1 }])).body).toEqual({
        toys: [{ anything: 1 }],
      });
    });

    it('refuses more than 1000 objects in arrays without a maximum', async () => {
      const of = (count: number) => Array.from({ length: count }, () => ({ name: 'a' }));
      expect((await ask('post', 'array', of(1_000))).status).toBe(201);
      expect((await ask('post', 'tree', { name: 'a', children: of(1_000) })).status).toBe(201);
      const deep = { name: 'a', children: [{ name: 'b', children: of(600) }, ...of(600)] };
      for (const [path, body, field] of [
        ['array', of(1_001), 'body'],
        ['array', [of(1_001)], 'body'],
        ['tree', { name: 'a', children: of(1_001) }, 'children'],
        ['tree', deep, 'children.0.children'],
      ] as const) {
        const { status, body: error } = await ask('post', path, body);
        expect(status).toBe(400);
        expect(error).toMatchObject({ code: 'validation_failed', details: [{ field, code: 'length' }] });
        expect(error.message).toContain('must contain no more than 1000 elements');
      }
    });

    it('checks a part of the body that is a DTO', async () => {
      expect((await ask('post', 'part', { address: ADDRESS, more: 1 })).body).toEqual({
        address: { ...ADDRESS, country: 'DE' },
        isDto: true,
      });
      expect(await refused('post', 'part', { address: { street: '' } })).toEqual(['address.street']);
      expect(await refused('post', 'part', { address: 5 })).toEqual(['address']);
      expect(await refused('post', 'part', {})).toEqual(['address']);
    });

    it('leaves a value that is not a DTO as it is', async () => {
      const body = { name: 5, more: { a: 1 } };
      expect((await ask('post', 'plain', body)).body).toEqual({ body });
      expect((await ask('post', 'plain', [1])).body).toEqual({ body: [1] });
    });

    it('keeps the prototype of everything out of reach', async () => {
      const anything =
        '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":{"__proto__":1}}';
      const body = `{"address":{"street":"a"},"lines":[{"id":1,"count":1}],"anything":${anything}}`;
      expect((await ask('post', 'order', body)).body).toMatchObject({ anything: { a: {} } });
      expect((await ask('post', 'order', body)).text).not.toContain('polluted');
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    });

    it('checks a query and parameters of the path', async () => {
      const { client } = scene();
      const search = await client.get(`${PATH}/search?term=ball&page=2`).expect(200);
      expect(search.body).toEqual({ query: { term: 'ball', page: 2 }, isDto: true });
      expect((await client.get(`${PATH}/search`)).body).toMatchObject({ query: { page: 1 } });
      for (const query of ['page=x', 'page=1&page=2', 'colour=red', 'term[]=a', '__proto__=1']) {
        await client.get(`${PATH}/search?${query}`).expect(400);
      }
      expect((await client.get(`${PATH}/toys/5/parts/wheel`)).body).toEqual({ id: '5', part: 'wheel' });
      const wrong = await client.get(`${PATH}/toys/x/parts/wheel`).expect(400);
      expect(wrong.body).toMatchObject({ code: 'validation_failed', details: [{ field: 'id' }] });
    });

    it('refuses with an Error of this service', async () => {
      const { petstore, key } = scene();
      const { send, bearer } = await import('../support/wire.js');
      const headers = [bearer(key), ['Content-Type', 'application/json']] as const;
      const response = await send(petstore, {
        method: 'POST',
        path: `${PATH}/order`,
        headers,
        body: '{"a":1}',
      });
      expectErrorResponse(response, 400, 'validation_failed');
    });
  },
};
