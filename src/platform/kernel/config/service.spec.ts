import { checkService, SERVICE } from './service.js';

describe('service.json', () => {
  it('is that of this service', () => {
    expect(() => {
      checkService();
    }).not.toThrow();
  });

  it.each(['a', 'courier', 'my_shop2', 'x'.repeat(31)])('may have the prefix %s', (prefix) => {
    expect(() => {
      checkService({ ...SERVICE, prefix });
    }).not.toThrow();
  });

  it.each(['my-shop', 'Courier', '2shop', '_shop', 'my shop', 'shop"', 'shöp', 'x'.repeat(32), 'shop\n'])(
    'may not have the prefix %j, which a metric, a header or a key could not have',
    (prefix) => {
      expect(() => {
        checkService({ ...SERVICE, prefix });
      }).toThrow(/^service\.json: prefix must be at most 31 of the characters .*\.$/);
    },
  );

  it.each(['title', 'noun', 'description', 'firstRequest', 'prefix'])('needs a text for %s', (name) => {
    for (const value of [undefined, '', ' ', 5, null])
      expect(() => {
        checkService({ ...SERVICE, [name]: value });
      }).toThrow(`service.json: ${name} must be a text.`);
  });
});
