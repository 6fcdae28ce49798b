import type { ArgumentMetadata } from '@nestjs/common';
import { ApiProperty, PartialType } from '@nestjs/swagger';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import { Allow, IsDate, IsInt, IsOptional, IsString, ValidateNested } from 'class-validator';
import { PatchType } from './patch-type.js';
import { EnumField, Int64Field, OptionalNotNull, Text } from './property.decorators.js';
import { RequestValidationPipe } from './validation.pipe.js';

enum Size {
  Small = 'small',
  Large = 'large',
}

class Box {
  @IsString()
  name = 'box';
}

class CreateToy {
  @Text({ max: 20 })
  name!: string;

  @OptionalNotNull()
  @EnumField(Size, { name: 'Size', default: Size.Small })
  size: Size = Size.Small;

  @IsOptional()
  @IsString()
  note: string | null = 'none';

  @Int64Field({})
  price!: number;

  @Expose({ name: 'made_at' })
  @Type(() => Date)
  @IsDate()
  madeAt = new Date();

  @Transform(({ value }: { value: unknown }) => Number(value))
  @IsInt()
  count = 1;

  @ValidateNested()
  @Type(() => Box)
  box = new Box();

  @Exclude()
  @Allow()
  secret = 'x';

  #label = 'private';

  get label(): string {
    return this.#label;
  }

  constructor() {
    Object.assign(this, { stamp: 1 });
  }
}

class UpdateToy extends PatchType(CreateToy) {
  @OptionalNotNull()
  @IsInt()
  extra?: number;
}

const pipe = new RequestValidationPipe();
const patch = (value: object, metatype: ArgumentMetadata['metatype'] = UpdateToy) =>
  pipe.transform(value, { type: 'body', metatype });

describe('PatchType()', () => {
  it('leaves absent what is not sent', async () => {
    const change = await patch({});
    expect(change).toBeInstanceOf(UpdateToy);
    expect(change).toEqual({});
    expect({ ...((await patch({ name: 'Rex', extra: 2 })) as object) }).toEqual({ name: 'Rex', extra: 2 });
  });

  it('keeps the rules and conversions of each member', async () => {
    const sent = { made_at: '2026-01-01T00:00:00Z', count: '5', box: {} };
    expect(await patch(sent)).toMatchObject({
      madeAt: new Date('2026-01-01T00:00:00Z'),
      count: 5,
      box: { name: 'box' },
    });
    await expect(patch({ name: '', price: 'x', extra: 'y' })).rejects.toMatchObject({
      details: expect.arrayContaining([
        expect.objectContaining({ field: 'name' }),
        expect.objectContaining({ field: 'price' }),
        expect.objectContaining({ field: 'extra' }),
      ]),
    });
    await expect(patch({ unknown: 1 })).rejects.toMatchObject({
      details: [{ field: 'unknown', code: 'unknown' }],
    });
  });

  it.each(['name', 'size', 'price', 'count', 'extra'])('does not make null valid for %s', async (member) => {
    const change = patch({ [member]: null });
    // The @Transform() of the class makes a number of it, in a POST as in a PATCH.
    await (member === 'count'
      ? expect(change).resolves.toEqual({ count: 0 })
      : expect(change).rejects.toThrow());
  });

  it('takes null where the rules of the member do', async () => {
    expect(await patch({ note: null })).toEqual({ note: null });
  });

  it('may be made of itself, of a PartialType() and of a class whose constructor throws', async () => {
    class Throws {
      @ApiProperty()
      @IsInt()
      count = 1;

      constructor() {
        throw new Error('no');
      }
    }
    for (const base of [PatchType(CreateToy), PartialType(CreateToy), Throws]) {
      class Update extends PatchType(base as new () => object) {}
      expect(await patch({}, Update)).toEqual({});
      expect(await patch({ count: 3 }, Update)).toEqual({ count: 3 });
    }
  });
});
