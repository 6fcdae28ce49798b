import type { ArgumentMetadata } from '@nestjs/common';
import { PartialType } from '@nestjs/swagger';
import { Expose, Transform, Type } from 'class-transformer';
import {
  Allow,
  IsDefined,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  ValidateNested,
} from 'class-validator';
import { parseJson } from '../json/parse-json.js';
import { markPartial } from '../http/body/body.guard.js';
import type { ValidationFailed } from '../errors/common.errors.js';
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

class UpdatePerson extends PartialType(Person) {}

const membersOf = (instance: unknown) => Object.fromEntries(Object.entries(instance as object));

const pipe = new RequestValidationPipe();
const body = (metatype: ArgumentMetadata['metatype']): ArgumentMetadata => ({ type: 'body', metatype });

async function patch(value: object): Promise<unknown> {
  markPartial({ method: 'PATCH', body: value });
  return pipe.transform(value, body(UpdatePerson));
}

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

describe('a PATCH', () => {
  it('has what was sent, converted by the DTO, and no defaults', async () => {
    const change = await patch({ first_name: 'Ann', wage: 5 });
    expect(change).toBeInstanceOf(UpdatePerson);
    expect(membersOf(change)).toEqual({ firstName: 'Ann', wage: new Money(5) });
    expect(membersOf(await patch({}))).toEqual({});
  });

  it('has no defaults of nested objects either, but those of the items of an array, which is replaced as a whole', async () => {
    const { address, earlier } = (await patch({
      address: { city: 'Ulm' },
      earlier: [{ city: 'Bonn' }],
    })) as UpdatePerson;
    expect(address).toBeInstanceOf(Address);
    expect(membersOf(address)).toEqual({ city: 'Ulm' });
    expect(earlier?.map(membersOf)).toEqual([{ city: 'Bonn', country: 'DE' }]);
  });

  it('has none without a body, and for a single member of it', async () => {
    const request = { method: 'PATCH', body: undefined };
    markPartial(request);
    expect(membersOf(await pipe.transform(request.body, body(UpdatePerson)))).toEqual({});
    const value = { address: { city: 'Ulm' } };
    markPartial({ method: 'PATCH', body: value });
    const address: unknown = await pipe.transform(value.address, { ...body(Address), data: 'address' });
    expect(membersOf(address)).toEqual({ city: 'Ulm' });
  });

  it('gives a handler that takes any body none if there is none', async () => {
    const request = { method: 'PATCH', body: undefined };
    markPartial(request);
    expect(await pipe.transform(request.body, body(Object))).toBeUndefined();
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

  it('are named beside what is invalid, up to 100 of them', async () => {
    const details = await detailsOf({ age: 'x', ...many(10) });
    expect(details).toHaveLength(11);
    expect(details).toContainEqual(expect.objectContaining({ field: 'age' }));
  });

  it.each([
    ['at the top', (members: object) => ({ age: 'x', ...members })],
    ['in an object', (members: object) => ({ age: 'x', address: members })],
    ['in an array', (members: object) => ({ age: 'x', earlier: [members] })],
  ])('%s are refused alone if there are more', async (_, bodyWith) => {
    const details = await detailsOf(bodyWith(many(1_300)));
    expect(details).toHaveLength(20);
    expect(details.every(({ code }) => code === 'unknown')).toBe(true);
  });

  it('are not those that the DTO takes by another name', async () => {
    expect(await detailsOf({ first_name: 'Ann' })).toEqual([]);
  });
});
