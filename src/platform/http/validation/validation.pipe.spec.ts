import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { Exclude, Expose, plainToInstance, Transform, Type } from 'class-transformer';
import {
  Allow,
  IsArray,
  IsDefined,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  MaxLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { Int64Field } from './property.decorators.js';
import { parseJson } from '../../kernel/json/parse-json.js';
import type { ValidationFailed } from '../../kernel/errors/common.errors.js';
import { PatchType } from './patch-type.js';
import { RequestValidationPipe } from './validation.pipe.js';

class Address {
  @IsString()
  city!: string;

  @IsOptional()
  @IsString()
  country = 'DE';
}

class Money {
  constructor(readonly cents: number) {}
}

class Person {
  @Expose({ name: 'first_name' })
  @IsOptional()
  @IsString()
  firstName?: string;

  @IsOptional()
  @IsInt()
  age = 18;

  @IsOptional()
  @Transform(({ value }: { value: number }) => new Money(value))
  @IsObject()
  wage?: Money;

  @IsOptional()
  @ValidateNested()
  @Type(() => Address)
  address?: Address;

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => Address)
  earlier?: Address[];
}

class UpdatePerson extends PatchType(Person) {}

const membersOf = (instance: unknown) => Object.fromEntries(Object.entries(instance as object));

const pipe = new RequestValidationPipe();
const body = (metatype: ArgumentMetadata['metatype']): ArgumentMetadata => ({ type: 'body', metatype });

const patch = (value: object): Promise<unknown> => pipe.transform(value, body(UpdatePerson));

class Place {
  @IsInt()
  floor!: number;

  @IsOptional()
  @IsNumber()
  area?: number;
}

class Plan {
  @IsInt({ each: true })
  sizes!: number[];

  @ValidateNested({ each: true })
  @Type(() => Place)
  places!: Place[];

  @IsOptional()
  @IsObject()
  notes?: object;
}

describe('a number that is not quite an integer', () => {
  const read = async (json: string): Promise<unknown> => pipe.transform(parseJson(json), body(Plan));

  it('is refused where one is expected, in nested objects and arrays too', async () => {
    await expect(
      read('{"sizes":[1,2.0000000000000001],"places":[{"floor":1},{"floor":1.00000000000000001}]}'),
    ).rejects.toMatchObject({ details: [{ field: 'sizes' }, { field: 'places.1.floor', code: 'type' }] });
  });

  it('is the nearest double elsewhere', async () => {
    const json = '{"sizes":[1.0],"places":[{"floor":1e1,"area":5.0000000000000001}],"notes":{"a":[1e-400]}}';
    expect(await read(json)).toEqual({
      sizes: [1],
      places: [{ floor: 10, area: 5 }],
      notes: { a: [0] },
    });
  });
});

class Search {
  @IsDefined()
  text!: string;

  @IsOptional()
  @IsString({ each: true })
  tags?: unknown;

  @IsOptional()
  @IsInt()
  size?: number | string;

  @Allow()
  other?: unknown;
}

describe('a repeated parameter', () => {
  const search = async (query: object): Promise<unknown> =>
    pipe.transform(query, { type: 'query', metatype: Search });
  const errorOf = (field: string) => ({
    in: 'query',
    field,
    code: 'type',
    message: `${field} must be given once`,
  });

  it('is judged as the transforms of the DTO leave it', async () => {
    class Reduced {
      @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.at(-1) : value) as unknown)
      @IsString()
      lang!: string;

      @Transform(({ value }: { value: unknown }) => String(value))
      @IsOptional()
      @MaxLength(3)
      short?: string;

      @Expose({ name: 'order-by' })
      @IsOptional()
      @IsString()
      orderBy?: string;
    }
    const reduced = async (query: object): Promise<unknown> =>
      pipe.transform(query, { type: 'query', metatype: Reduced });
    expect(await reduced({ lang: ['a', 'b'] })).toMatchObject({ lang: 'b' });
    await expect(reduced({ lang: ['a', 'b'], short: ['xx', 'y'] })).rejects.toMatchObject({
      details: [{ field: 'short', code: 'length' }],
    });
    await expect(reduced({ lang: 'a', 'order-by': ['a', 'b'] })).rejects.toMatchObject({
      details: [errorOf('order-by')],
    });
    await expect(reduced({ lang: [['a'], ['b']] })).rejects.toMatchObject({ details: [errorOf('lang')] });
  });

  it('is refused where one value is expected, even if no rule of the DTO does so', async () => {
    await expect(search({ text: ['a', 'a'] })).rejects.toMatchObject({ details: [errorOf('text')] });
    await expect(search({ text: ['a'], size: ['1', '2'], unknown: ['1'] })).rejects.toMatchObject({
      details: [{ field: 'unknown', code: 'unknown' }, errorOf('text'), errorOf('size')],
    });
  });

  it('is accepted where several are, or where nothing is said', async () => {
    const query = { text: 'a', tags: ['a', 'b'], other: ['a', 'b'] };
    expect(await search(query)).toEqual(query);
  });

  it.each([String, Number, Boolean])('is refused for one of type %p', async (metatype) => {
    const metadata: ArgumentMetadata = { type: 'query', metatype, data: 'name' };
    await expect(pipe.transform(['1', '1'], metadata)).rejects.toMatchObject({ details: [errorOf('name')] });
  });
});

describe('a parameter that is not UTF-8, which the parser of the query marks', () => {
  const GARBLED = 'caf\ufffd\ud800';
  const error = {
    in: 'query',
    field: 'name',
    code: 'format',
    message: 'name must be UTF-8 in percent-encoding',
  };

  it.each([String, Number, Boolean, Object, undefined])('is refused for one of type %p', async (metatype) => {
    const metadata: ArgumentMetadata = { type: 'query', metatype, data: 'name' };
    await expect(pipe.transform(GARBLED, metadata)).rejects.toMatchObject({ details: [error] });
    await expect(pipe.transform(['a', GARBLED], metadata)).rejects.toMatchObject({ details: [error] });
  });

  it.each([Object, undefined])('is refused in a query of type %p', async (metatype) => {
    const query = { other: 'a', name: GARBLED };
    await expect(pipe.transform(query, { type: 'query', metatype })).rejects.toMatchObject({
      details: [error],
    });
    expect(await pipe.transform({ name: 'a' }, { type: 'query', metatype })).toEqual({ name: 'a' });
  });
});

describe('a PATCH', () => {
  it('has what was sent, converted by the DTO, and no defaults', async () => {
    const change = await patch({ first_name: 'Ann', wage: 5 });
    expect(change).toBeInstanceOf(UpdatePerson);
    expect(membersOf(change)).toEqual({ firstName: 'Ann', wage: new Money(5) });
    expect(membersOf(await patch({}))).toEqual({});
  });

  it('replaces nested objects as a whole, so they have the defaults of their class', async () => {
    const { address, earlier } = (await patch({
      address: { city: 'Ulm' },
      earlier: [{ city: 'Bonn' }],
    })) as UpdatePerson;
    expect(address).toBeInstanceOf(Address);
    expect(membersOf(address)).toEqual({ city: 'Ulm', country: 'DE' });
    expect(earlier?.map(membersOf)).toEqual([{ city: 'Bonn', country: 'DE' }]);
  });

  it('obeys the rules of the DTO', async () => {
    await expect(patch({ age: 'x' })).rejects.toMatchObject({ details: [{ field: 'age', code: 'type' }] });
    await expect(patch({ address: { city: 5 } })).rejects.toMatchObject({
      details: [{ field: 'address.city' }],
    });
  });
});

describe('unknown members', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`unknown${i}`, i]));
  const detailsOf = (value: object) =>
    pipe.transform(value, body(Person)).then(
      () => [],
      (error: unknown) => (error as ValidationFailed).details ?? [],
    );

  it('are named beside what is invalid', async () => {
    const details = await detailsOf({ age: 'x', ...many(10) });
    expect(details).toHaveLength(11);
    expect(details).toContainEqual(expect.objectContaining({ field: 'age' }));
  });

  it.each([
    ['at the top', (members: object) => ({ age: 'x', ...members })],
    ['in an object', (members: object) => ({ age: 'x', address: members })],
    ['in an array', (members: object) => ({ age: 'x', earlier: [members] })],
  ])('%s are as many as a body can have: twenty errors are named', async (_, bodyWith) => {
    const details = await detailsOf(bodyWith(many(1_300)));
    expect(details).toHaveLength(20);
    expect(details.some(({ code }) => code === 'unknown')).toBe(true);
  });

  it('are named first where the stock pipe names them first', async () => {
    const stock = new ValidationPipe({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      exceptionFactory: (errors) => new Error(errors.map(({ property }) => property).join()),
    });
    const value = { age: 'x', ...many(3) };
    const names = (await detailsOf(value)).map(({ field }) => field);
    await expect(stock.transform(value, body(Person))).rejects.toThrow(names.join());
  });

  it('are not those that the DTO takes by another name', async () => {
    expect(await detailsOf({ first_name: 'Ann' })).toEqual([]);
  });
});

class Shape {
  @IsInt()
  x = 7;
}

class Circle extends Shape {
  @Int64Field({})
  radius!: number | bigint;
}

class Square extends Shape {
  @IsInt()
  side!: number;

  @IsOptional()
  @IsString()
  colour = 'red';
}

/** It has no rules, so it can only be used where nothing validates it. */
class Point {
  x!: number;
  y!: number;
}

const KINDS = {
  discriminator: {
    property: 'kind',
    subTypes: [
      { value: Circle, name: 'circle' },
      { value: Square, name: 'square' },
    ],
  },
};

class Drawing {
  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => Shape, KINDS)
  shapes?: Shape[];

  @IsOptional()
  @ValidateNested()
  @Type(() => Shape, KINDS)
  frame?: Shape;

  @IsOptional()
  @ValidateNested({ each: true })
  @Type((options) => ((options?.object as Drawing).isRound === true ? Circle : Square))
  plain?: Shape[];

  @Allow()
  isRound?: boolean;

  @IsOptional()
  @IsArray()
  @Type(() => Point)
  points?: Point[];

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => Circle)
  named?: Map<string, Circle>;

  @IsOptional()
  @IsObject()
  @Type(() => Object)
  notes?: object;

  @IsOptional()
  @ValidateNested({ each: true })
  @Transform(({ obj }: { obj: Drawing }) => plainToInstance(Circle, Object.values(obj.listed ?? {})))
  @Type(() => Circle)
  listed?: Circle[];

  @ValidateIf(({ isRound }: Drawing) => isRound === true)
  @ValidateNested()
  @Type(() => Circle)
  round?: Circle;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  size?: number;
}

class UpdateDrawing extends PatchType(Drawing) {}

@Exclude()
class OnlyName {
  @Expose()
  @IsString()
  name!: string;
}

describe('a nested object', () => {
  const stock = new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true });
  const of = <Item>(count: number, item: (i: number) => Item) =>
    Array.from({ length: count }, (_, i) => item(i));
  const named = <Item>(count: number, item: (i: number) => Item) =>
    Object.fromEntries(of(count, (i) => [`n${i}`, item(i)]));

  it.each([
    ['of a subtype in a list', () => ({ shapes: of(150, (i) => ({ kind: 'circle', x: i, radius: i })) })],
    ['of a subtype', () => ({ frame: { kind: 'square', x: 1, side: 2 } })],
    [
      'of a class that depends on the body',
      () => ({ isRound: true, plain: of(150, (i) => ({ x: i, radius: i })) }),
    ],
    ['that nothing validates', () => ({ points: of(150, (i) => ({ x: i, y: i })) })],
    ['in a map', () => ({ named: named(150, (i) => ({ x: i, radius: i })) })],
    ['of no class', () => ({ notes: named(150, (i) => i) })],
    ['that a @Transform() makes', () => ({ listed: named(150, (i) => ({ x: i, radius: i })) })],
    ['whose condition does not hold', () => ({ round: named(150, (i) => i) })],
  ])('%s is taken as by the ValidationPipe of Nest, of any number of members', async (_, drawing) => {
    const taken: unknown = await pipe.transform(drawing(), body(Drawing));
    expect(taken).toEqual(await stock.transform(drawing(), body(Drawing)));
  });

  it('of a class that exposes only some members may have any number of others, which are dropped', async () => {
    const value = { name: 'Ann', ...named(150, (i) => ({ i })) };
    expect(await pipe.transform(value, body(OnlyName))).toEqual({ name: 'Ann' });
  });

  it.each([
    ['of a subtype', (members: object) => ({ shapes: [{ kind: 'circle', x: 'x', radius: 1, ...members }] })],
    ['in a map', (members: object) => ({ named: { a: { x: 'x', radius: 1, ...members } } })],
    ['in a list of lists', (members: object) => ({ shapes: [[members]] })],
  ])('%s with many unknown members is refused, and the first twenty errors are named', async (_, drawing) => {
    const refusal = pipe.transform(drawing(named(101, (i) => i)), body(Drawing));
    await expect(refusal).rejects.toMatchObject({
      details: of(20, () => expect.objectContaining({ in: 'body' })),
    });
  });

  it('of a subtype has exact integers, and refuses what is not quite one', async () => {
    const read = (digits: string): Promise<unknown> => {
      const circle = `{"kind":"circle","x":1,"radius":${digits}}`;
      const json = `{"shapes":[${circle}],"frame":${circle},"isRound":true,"plain":[${circle.replace('"kind":"circle",', '')}]}`;
      return pipe.transform(parseJson(json), body(Drawing));
    };
    const circle = { x: 1, radius: 9007199254740993n };
    expect(await read('9007199254740993.0')).toMatchObject({
      shapes: [circle],
      frame: circle,
      plain: [circle],
    });
    await expect(read('1.00000000000000001')).rejects.toMatchObject({
      details: ['shapes.0.radius', 'frame.radius', 'plain.0.radius'].map((field) => ({ field })),
    });
  });

  it('that nothing validates has the nearest double', async () => {
    const json = '{"points":[{"x":1.00000000000000001,"y":2}]}';
    expect(await pipe.transform(parseJson(json), body(Drawing))).toEqual({ points: [{ x: 1, y: 2 }] });
  });

  it('of a subtype is taken in a PATCH as elsewhere', async () => {
    const change = { frame: { kind: 'square', side: 2, x: 1 }, size: '5' };
    const { frame, size } = (await pipe.transform(change, body(UpdateDrawing))) as UpdateDrawing;
    expect(frame).toBeInstanceOf(Square);
    expect({ frame: membersOf(frame), size }).toEqual({ frame: { side: 2, x: 1, colour: 'red' }, size: 5 });
  });
});
