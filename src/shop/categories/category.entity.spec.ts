import { nameKeyOf } from './category.entity.js';

describe('Two category names are the same', () => {
  it.each([
    ['birds', 'BIRDS'],
    ['Straße', 'STRASSE'],
    ['STRAẞE', 'strasse'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['ΟΔΟΣ', 'οδος'],
    ['Zoë', 'ZOE\u0308'],
    ['oﬃce', 'OFFICE'],
    ['ǰ', 'J\u030c'],
    ['ᾳ', 'ΑΙ'],
    ['ᲢᲘ', 'ტი'],
    ['Ꭰ', 'ꭰ'],
    ['İ', 'i\u0307'],
    ['𐐀', '𐐨'],
  ])('%s and %s', (one, other) => {
    expect(nameKeyOf(one)).toBe(nameKeyOf(other));
  });
});

describe('Two category names are different', () => {
  it.each([
    ['x²', 'x2'],
    ['ı', 'i'],
    ['İ', 'i'],
    ['é', 'e'],
    ['ｆｉｓｈ', 'fish'],
    ['①', '1'],
    ['Ångström', 'Angstrom'],
  ])('%s and %s', (one, other) => {
    expect(nameKeyOf(one)).not.toBe(nameKeyOf(other));
  });
});
