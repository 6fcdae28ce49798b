import type { Response } from 'express';
import { Page } from '../pagination/page.js';
import { addPageHeaders } from '../pagination/page.query.js';

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
