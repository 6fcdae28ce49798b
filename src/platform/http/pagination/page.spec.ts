import type { Response } from 'express';
import fc from 'fast-check';
import { addPageHeaders, decodeCursor, encodeCursor, InvalidCursor, Page } from './page.js';

const ids = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

describe('a cursor', () => {
  it('decodes to the id it was made from', () => {
    fc.assert(
      fc.property(ids, fc.string(), (id, scope) => decodeCursor(encodeCursor(id, scope), scope) === id),
    );
  });

  it('is the same for a number and an equal bigint', () => {
    expect(encodeCursor(5, 'pets')).toBe(encodeCursor(5n, 'pets'));
  });

  it('needs no encoding in a URL', () => {
    fc.assert(fc.property(ids, (id) => /^[\w-]{22}$/.test(encodeCursor(id, 'pets'))));
  });

  it('is rejected for another list or filter', () => {
    expect(() => decodeCursor(encodeCursor(1, 'pets sold'), 'pets')).toThrow(InvalidCursor);
  });

  it('is rejected if one character differs', () => {
    const other = fc.tuple(ids, fc.nat(21), fc.constantFrom(...Array.from('Aa0-_=+/ ')));
    fc.assert(
      fc.property(other, ([id, at, character]) => {
        const cursor = encodeCursor(id, 'pets');
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
        if (changed === cursor) return;
        // The id is not protected, only the fingerprint: a changed id is harmless.
        if (at < 11 && /[\w-]/.test(character)) return;
        expect(() => decodeCursor(changed, 'pets')).toThrow(InvalidCursor);
      }),
    );
  });

  it('is rejected if it is any other text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodeCursor(text, 'pets')).toThrow(InvalidCursor);
      }),
    );
  });
});

describe('the link to the next page', () => {
  it.each([
    ['/v1/pets', 'cursor=next'],
    ['/v1/pets?status=sold&cursor=this&limit=2', 'status=sold&cursor=next&limit=2'],
    ['/v1/toys?kind=ball&kind=rope', 'kind=ball&kind=rope&cursor=next'],
  ])('of %s has its parameters and the cursor', (url, query) => {
    const headers = new Map<string, unknown>();
    const response = {
      req: { url, path: url.split('?')[0] },
      getHeader: (name: string) => headers.get(name),
      setHeader: (name: string, value: unknown) => headers.set(name, value),
    };
    addPageHeaders(response as unknown as Response, new Page([], 'next'), () => 'http://petstore.test');
    expect(headers.get('Link')).toBe(`<http://petstore.test${url.split('?')[0]}?${query}>; rel="next"`);
  });
});
