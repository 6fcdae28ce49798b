import { withoutDefaults } from './body-rules.js';

describe('withoutDefaults', () => {
  it('removes what the body lacks, in nested objects too', () => {
    const instance = { name: 'Rex', age: 3, owner: { name: 'Ann', city: 'Ulm' } };
    withoutDefaults(instance, { name: 'Rex', owner: { name: 'Ann' } });
    expect(instance).toEqual({ name: 'Rex', owner: { name: 'Ann' } });
  });

  it('keeps the defaults of the items of an array, which is replaced as a whole', () => {
    const instance = { toys: [{ name: 'ball', amount: 1 }] };
    withoutDefaults(instance, { toys: [{ name: 'ball' }] });
    expect(instance).toEqual({ toys: [{ name: 'ball', amount: 1 }] });
  });
});
