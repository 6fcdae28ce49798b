import { validateSync } from 'class-validator';
import { EnumField, Text } from './property.decorators.js';

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
