import { checkService, service } from './service.js';

describe('the names of a service', () => {
  it('are those of this service', () => {
    expect(() => {
      checkService();
    }).not.toThrow();
  });

  it.each(['a', 'courier', 'my_shop2', 'x'.repeat(31)])('may have the prefix %s', (prefix) => {
    expect(() => {
      checkService({ ...service(), prefix });
    }).not.toThrow();
  });

  it.each(['my-shop', 'Courier', '2shop', '_shop', 'my shop', 'shop"', 'shöp', 'x'.repeat(32), 'shop\n'])(
    'may not have the prefix %j, which a metric, a header or a key could not have',
    (prefix) => {
      expect(() => {
        checkService({ ...service(), prefix });
      }).toThrow(/^The service: prefix must be at most 31 of the characters .*\.$/);
    },
  );

  it.each(['title', 'noun', 'description', 'firstRequest', 'prefix'])('needs a text for %s', (name) => {
    for (const value of [undefined, '', ' ', 5, null])
      expect(() => {
        checkService({ ...service(), [name]: value });
      }).toThrow(`The service: ${name} must be a text.`);
  });
});
