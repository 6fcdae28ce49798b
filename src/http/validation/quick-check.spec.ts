import { ValidationPipe } from '@nestjs/common';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import { IsEnum, IsInt, IsString, MinLength, ValidateBy, ValidateNested } from 'class-validator';
import fc from 'fast-check';
import { Config } from '../../kernel/config/config.js';
import { ValidationFailed } from '../../kernel/errors/common.errors.js';
import { ListPetsQuery } from '../../pets/dto/list-pets.query.js';
import { CreatePetDto } from '../../pets/dto/create-pet.dto.js';
import { Optional } from './optional.decorator.js';
import { quickCheck } from './quick-check.js';
import { RequestValidationPipe } from './validation.pipe.js';
import { codePoint } from '../../../test/support/code-point.js';

const stock = new ValidationPipe({ transform: true, forbidNonWhitelisted: true, whitelist: true });

/** What the libraries make of a value; `undefined` when they refuse it. */
const byTheLibraries = async (dto: new () => object, value: object): Promise<object | undefined> => {
  try {
    return (await stock.transform(structuredClone(value), { type: 'body', metatype: dto })) as object;
  } catch {
    return undefined;
  }
};

const anything = fc.oneof(
  fc.constantFrom(
    'available',
    'sold',
    'lost',
    '',
    ' ',
    '5',
    '1e1',
    '100',
    '101',
    'a\0',
    '\ud800',
    null,
    true,
  ),
  fc.string({ unit: codePoint, maxLength: 300 }),
  fc.integer(),
  fc.double(),
  fc.constant([]),
  fc.constant({}),
);
const properties = (names: string[]) =>
  fc.subarray(names).chain((some) => fc.record(Object.fromEntries(some.map((name) => [name, anything]))));

describe('quickCheck', () => {
  it.each([
    ['a new pet', CreatePetDto, ['name', 'categoryId', 'status', 'colour'], { name: 'Rex', categoryId: 7 }],
    ['a query', ListPetsQuery, ['limit', 'status', 'cursor', 'colour'], { limit: '5' }],
  ])(
    'makes of %s what the libraries make, and never lets pass what they refuse',
    async (_, dto, names, legal) => {
      let passed = 0;
      const property = fc.asyncProperty(properties(names), async (value) => {
        const quick = quickCheck(dto, value);
        if (!quick) return;
        passed++;
        expect(quick).toEqual(await byTheLibraries(dto, value));
        expect(quick).toBeInstanceOf(dto);
      });
      await fc.assert(property, { numRuns: 2000, examples: [[legal]] }); // chance alone may find no legal value
      expect(passed).toBeGreaterThan(0);
    },
  );

  it.each([
    ['a new pet', CreatePetDto, ['name', 'categoryId', 'status', 'colour']],
    ['a query', ListPetsQuery, ['limit', 'status', 'cursor', 'colour']],
  ])('changes nothing that the pipe makes of %s, errors included', async (_, metatype, names) => {
    const outcome = async (fastPaths: 'on' | 'off', value: object): Promise<unknown> => {
      const pipe = new RequestValidationPipe(new Config({ FAST_PATHS: fastPaths }));
      try {
        return await pipe.transform(structuredClone(value), { type: 'body', metatype });
      } catch (error) {
        return error instanceof ValidationFailed ? error.details : error;
      }
    };
    const property = fc.asyncProperty(properties(names), async (value) => {
      expect(await outcome('on', value)).toEqual(await outcome('off', value));
    });
    await fc.assert(property, { numRuns: 500 });
  });

  it.each([
    [CreatePetDto, { name: 'Rex', categoryId: 7 }],
    [CreatePetDto, { name: 'Zoë', categoryId: -1, status: 'sold' }],
    [ListPetsQuery, {}],
    [ListPetsQuery, { limit: '5', status: 'pending', cursor: 'abc' }],
  ])('knows what is valid: %p of %p', async (dto, value) => {
    const quick = quickCheck(dto, value);
    expect(quick).toBeDefined();
    expect(quick).toEqual(await byTheLibraries(dto, value));
  });

  class Inner {
    @IsInt()
    readonly n!: number;
  }
  class Nested {
    @ValidateNested()
    @Type(() => Inner)
    readonly inner!: Inner;
  }
  class Each {
    @IsString({ each: true })
    readonly names!: string[];
  }
  class Grouped {
    @MinLength(2, { groups: ['admin'] })
    readonly name!: string;
  }
  class Exposed {
    @Expose({ name: 'other' })
    @IsString()
    readonly name!: string;
  }
  class Twice {
    @Transform(({ value }: { value: string }) => `${value}a`)
    @Transform(({ value }: { value: string }) => `${value}b`)
    @IsString()
    readonly name!: string;
  }
  class Later {
    @Transform(({ value }: { value: string }) => value, { toPlainOnly: true })
    @IsString()
    readonly name!: string;
  }
  class NoRules {}
  class Hidden {
    @Exclude()
    @IsString()
    readonly name!: string;
  }
  class Asynchronous {
    @ValidateBy({ name: 'async', async: true, validator: { validate: () => Promise.resolve(true) } })
    readonly name!: string;
  }
  class Surprising {
    @ValidateBy({ name: 'surprising', validator: { validate: () => Promise.reject(new Error('away')) } })
    readonly name!: string;
  }
  class Method {
    @IsString()
    name(): string {
      return 'a';
    }
  }

  it.each([
    [Nested, { inner: { n: 1 } }],
    [Each, { names: ['a'] }],
    [Grouped, { name: 'ab' }],
    [Exposed, { other: 'a' }],
    [Twice, { name: 'a' }],
    [NoRules, {}],
    [Hidden, { name: 'a' }],
    [Asynchronous, { name: 'a' }],
    [Surprising, { name: 'a' }],
    [Method, { name: 'a' }],
  ])('leaves what is not simple to the libraries: %p', (dto, value) => {
    expect(quickCheck(dto, value)).toBeUndefined();
  });

  it('leaves out what a conversion does for the other direction', () => {
    expect(quickCheck(Later, { name: 'a' })).toEqual({ name: 'a' });
  });

  it('takes decorators of class-validator itself, and its conditions', () => {
    enum Colour {
      Red = 'red',
    }
    class Stock {
      @IsString()
      @MinLength(2)
      readonly name!: string;

      @Optional()
      @IsEnum(Colour)
      readonly colour?: Colour;
    }
    expect(quickCheck(Stock, { name: 'ab' })).toEqual({ name: 'ab' });
    expect(quickCheck(Stock, { name: 'ab', colour: 'red' })).toEqual({ name: 'ab', colour: 'red' });
    expect(quickCheck(Stock, { name: 'a' })).toBeUndefined();
    expect(quickCheck(Stock, { name: 'ab', colour: 'blue' })).toBeUndefined();
    expect(quickCheck(Stock, { name: 'ab', colour: null })).toBeUndefined();
  });
});
