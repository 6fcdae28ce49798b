import { Deprecated } from './deprecated.decorator.js';

const DEPRECATION = {
  since: '2026-12-01',
  sunset: '2030-12-05',
  successor: '/v1/items',
  use: 'GET /v1/items',
};

it.each(['2030-13-01', '2030-12-5', '2030-02-30', '2030-12-05T00:00:00', '2029-02-29', 'soon', ''])(
  '@Deprecated() refuses %j, which is no day',
  (day) => {
    for (const one of ['since', 'sunset'])
      expect(() => Deprecated({ ...DEPRECATION, [one]: day })).toThrow('@Deprecated() needs days');
  },
);

it('@Deprecated() refuses a sunset before the deprecation', () => {
  expect(() => Deprecated({ ...DEPRECATION, sunset: '2026-11-30' })).toThrow('the sunset last');
  Deprecated({ ...DEPRECATION, sunset: DEPRECATION.since });
});

it.each(['GET /v1/items \u2013 with a filter', 'the "items"', 'back\\slash', 'caf\u00e9', 'two\nlines', ''])(
  '@Deprecated() refuses a description that Link cannot have: %j',
  (use) => {
    expect(() => Deprecated({ ...DEPRECATION, use })).toThrow('@Deprecated() needs a "use"');
  },
);

it.each(['/v1/caf\u00e9', '/v1/a b', '/v1/<id>', '/v1/"', '/v1/\n'])(
  '@Deprecated() refuses a path that Link cannot have: %j',
  (path) => {
    for (const one of ['successor', 'documentation'])
      expect(() => Deprecated({ ...DEPRECATION, [one]: path })).toThrow('@Deprecated() needs paths');
  },
);

it('@Deprecated() takes what Link can have', () => {
  const [use, path] = [
    "GET /v1/items?name=a b; it's {new}, (or) ~100%",
    '/v1/items/{itemId}?a=%20&b=1#/items/get',
  ];
  expect(() => Deprecated({ ...DEPRECATION, use, successor: path, documentation: path })).not.toThrow();
});
