import { plainToInstance } from 'class-transformer';
import { DECORATORS } from '@nestjs/swagger';
import { validateSync } from 'class-validator';
import {
  DateField,
  DecimalField,
  EnumField,
  Int64Field,
  OptionalNotNull,
  Text,
  TimeField,
} from './property.decorators.js';

class Note {
  @Text({ max: 5 })
  text: unknown;
}

const isValid = (text: unknown) => validateSync(Object.assign(new Note(), { text })).length === 0;

describe('a text of at most 5 characters', () => {
  it.each(['a', '12345', ' a ', '🐶🐶🐶🐶🐶', 'e\u0301', '\u202ea', '\u200b', 'a\u0001'])(
    'accepts %j',
    (text) => {
      expect(isValid(text)).toBe(true);
    },
  );

  it.each([
    '',
    ' ',
    '\n\t\u00a0\u3000',
    '123456',
    '🐶🐶🐶🐶🐶🐶',
    'a\0',
    '\ud800',
    'a\udc00',
    5,
    null,
    undefined,
    ['a'],
    {},
    true,
  ])('rejects %j', (text) => {
    expect(isValid(text)).toBe(false);
  });
});

enum Size {
  Small = 'small',
  Large = 'large',
}

class Parcel {
  @EnumField(Size, { name: 'Size' })
  size: unknown;
}

describe('a field of an enumeration', () => {
  const problems = (size: unknown) =>
    validateSync(Object.assign(new Parcel(), { size })).flatMap(({ constraints }) =>
      Object.values(constraints ?? {}),
    );

  it('accepts each of its values', () => {
    expect(Object.values(Size).flatMap(problems)).toEqual([]);
  });

  it.each(['Small', 'medium', '', 0, null, undefined, ['small']])(
    'rejects %j and names the values',
    (size) => {
      expect(problems(size)).toEqual(['size must be one of small, large']);
    },
  );
});

class Visit {
  @TimeField({ description: 'When it begins.' })
  readonly at!: Date;
}

describe('a time', () => {
  const read = (at: unknown) => {
    const visit = plainToInstance(Visit, { at });
    return validateSync(visit).length === 0 ? visit.at.toISOString() : 'refused';
  };

  it.each([
    ['2026-11-27T10:00:00Z', '2026-11-27T10:00:00.000Z'],
    ['2026-11-27t10:00:00z', '2026-11-27T10:00:00.000Z'],
    ['2026-11-27T10:00:00.5+05:30', '2026-11-27T04:30:00.500Z'],
    ['2026-11-27T10:00:00.123456789-00:00', '2026-11-27T10:00:00.123Z'],
    ['2028-02-29T23:59:59+23:59', '2028-02-29T00:00:59.000Z'],
    ['0001-01-02T00:00:00Z', '0001-01-02T00:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('%s is the Date %s', (text, date) => {
    expect(read(text)).toBe(date);
  });

  it.each([
    '2026-11-27',
    '2026-11-27T10:00:00',
    '2026-11-27T10:00Z',
    '2026-11-27 10:00:00Z',
    '2026-11-27T24:00:00Z',
    '2026-11-27T10:00:00+24:00',
    '2026-11-27T23:59:60Z',
    '2026-11-27T10:00:00Z ',
    '2026-02-29T10:00:00Z',
    '2026-04-31T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-00-01T10:00:00Z',
    '2026-W48-5T10:00:00Z',
    '0000-01-01T00:00:00Z',
    '+002026-11-27T10:00:00Z',
    'Fri, 27 Nov 2026 10:00:00 GMT',
    'tomorrow',
    '',
    5,
    1_795_773_600_000,
    null,
    undefined,
    true,
    [],
    {},
    ['2026-11-27T10:00:00Z'],
  ])('rejects %j', (at) => {
    expect(read(at)).toBe('refused');
  });
});

class Birthday {
  @DateField({ description: 'The day.' })
  readonly on: unknown;
}

describe('a day', () => {
  const isDate = (on: unknown) => validateSync(Object.assign(new Birthday(), { on })).length === 0;

  it.each(['2026-11-27', '2028-02-29', '2000-02-29', '0001-01-01', '0099-12-31', '9999-12-31'])(
    'accepts %s',
    (on) => {
      expect(isDate(on)).toBe(true);
    },
  );

  it.each([
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-11-00',
    '2026-11-32',
    '2026-13-01',
    '2026-00-01',
    '0000-01-01',
    '2026-W48-5',
    '2026-331',
    '2026-11',
    '20261127',
    '2026-11-27T10:00:00Z',
    '2026-11-27\n',
    ' 2026-11-27',
    'today',
    '',
    5,
    null,
    undefined,
    new Date(),
    ['2026-11-27'],
  ])('rejects %j', (on) => {
    expect(isDate(on)).toBe(false);
  });
});

class Cleared {
  @Text({ max: 5, nullable: true })
  text: unknown = 'a';

  @EnumField(Size, { name: 'Size', nullable: true })
  size: unknown = Size.Small;

  @Int64Field({ nullable: true })
  count: unknown = 1;

  @TimeField({ nullable: true })
  at: unknown = new Date();

  @DateField({ nullable: true })
  on: unknown = '2026-11-27';

  @OptionalNotNull()
  @Text({ max: 5, nullable: true })
  note: unknown;
}

describe.each(Object.keys(new Cleared()))('a nullable field, %s', (name) => {
  const problems = (value: unknown) =>
    validateSync(Object.assign(new Cleared(), { [name]: value })).map(({ property }) => property);

  it('accepts null', () => {
    expect(problems(null)).toEqual([]);
  });

  it.each(['', 'wrong value', {}, true])('rejects %j', (value) => {
    expect(problems(value)).toEqual([name]);
  });

  it('may be absent only if it is optional', () => {
    expect(problems(undefined)).toEqual(name === 'note' ? [] : [name]);
  });
});

class Price {
  @Int64Field({ minimum: 1, maximum: 100 })
  cents: unknown = 1;

  @Int64Field({ minimum: -5 })
  change: unknown = 1;
}

describe('a 64-bit integer with bounds', () => {
  const problems = (values: object) =>
    validateSync(Object.assign(new Price(), values)).flatMap(({ constraints }) =>
      Object.values(constraints ?? {}),
    );

  it.each([1, 100, 1n, 100n])('accepts %p', (cents) => {
    expect(problems({ cents })).toEqual([]);
  });

  it.each([0, -1, 101, 0n, 101n, 9_223_372_036_854_775_807n])('rejects %p and names the bounds', (cents) => {
    expect(problems({ cents })).toEqual(['cents must be from 1 to 100']);
  });

  it('has the bounds of 64 bits where it names none', () => {
    expect(problems({ change: 9_223_372_036_854_775_807n })).toEqual([]);
    expect(problems({ change: -6 })).toEqual(['change must be from -5 to 9223372036854775807']);
  });
});

describe('a field with a default', () => {
  class Kennel {
    @Text({ max: 20, default: 'none' })
    note: unknown;

    @Int64Field({ default: 0 })
    deposit: unknown;

    @DateField({ default: '2026-11-27' })
    from: unknown;

    @TimeField({ default: '2026-11-27T10:00:00Z' })
    at: unknown;

    @EnumField({ Small: 'small' }, { name: 'Size', default: 'small' })
    size: unknown;

    @Int64Field({})
    price: unknown;
  }
  const isRequired = (name: string) =>
    (
      Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES, Kennel.prototype, name) as {
        required: boolean;
      }
    ).required;

  it.each(['note', 'deposit', 'from', 'at', 'size'])('may be omitted in the document: %s', (name) => {
    expect(isRequired(name)).toBe(false);
  });

  it('is required without one', () => {
    expect(isRequired('price')).toBe(true);
  });
});

class Bill {
  @DecimalField({ precision: 6, scale: 2, description: 'What it costs.' })
  amount: unknown;

  @DecimalField({
    precision: 3,
    scale: 0,
    mayBeNegative: true,
    nullable: true,
    default: '0',
    description: 'Degrees.',
  })
  degrees: unknown = '0';

  @DecimalField({ precision: 2, scale: 2, description: 'A share below 1.' })
  share: unknown = '0';
}

describe('a decimal', () => {
  const problems = (values: object) =>
    validateSync(Object.assign(new Bill(), { amount: '0' }, values)).flatMap(({ constraints }) =>
      Object.values(constraints ?? {}),
    );

  it.each(['0', '12', '12.5', '12.50', '0.01', '9999.99', '0.0'])('is the string "%s"', (amount) => {
    expect(problems({ amount })).toEqual([]);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '1.',
    '.5',
    '01',
    '00',
    '+1',
    '-1',
    '1e3',
    '1,5',
    '1.234',
    '10000',
    '0x1',
    'NaN',
    '１',
    '1\n',
  ])('is not the string %j', (amount) => {
    expect(problems({ amount })).toEqual([
      'amount must be a decimal of at most 4 digits before and 2 after the point, not below 0',
    ]);
  });

  it.each([12.5, 12, 12n, null, undefined, ['1'], {}, true])(
    'is no number and nothing else: %p',
    (amount) => {
      expect(problems({ amount })).toContain('amount must be a string, such as "12.50"');
    },
  );

  it('has as many digits as its column, and a sign where that is allowed', () => {
    for (const degrees of ['-273', '0', '-0', '999', null]) expect(problems({ degrees })).toEqual([]);
    for (const degrees of ['-1000', '1.0', '--1']) expect(problems({ degrees })).toHaveLength(1);
    for (const share of ['0', '0.99']) expect(problems({ share })).toEqual([]);
    for (const share of ['1', '.99', '0.999']) expect(problems({ share })).toHaveLength(1);
  });

  it('is documented as a string, with its form', () => {
    const of = (name: string) =>
      Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES, Bill.prototype, name) as object;
    expect(of('amount')).toMatchObject({
      type: 'string',
      format: 'decimal',
      pattern: String.raw`^(0|[1-9]\d{0,3})(\.\d{1,2})?$`,
      example: '12.50',
      required: true,
    });
    expect(of('degrees')).toMatchObject({ required: false, example: '12', nullable: true });
  });
});
