import type { Request, Response } from 'express';
import { versionOf } from '../../kernel/expected-version.js';
import { Page } from '../../kernel/pagination/page.js';

/**
 * Adds the `Link` to the next page (RFC 8288): the absolute URL of the same request with the next cursor. If the client
 * requested one id, adds the `ETag` of the item.
 * @param result a page, or an object with a page as a property
 * @param base address of the service, without `/v1`
 */
export function addPageHeaders(response: Response, result: unknown, base: () => string): void {
  const page = pageIn(result);
  if (page?.next !== undefined) {
    const { req: request } = response;
    const next = `<${base()}${request.path}?${withCursor(request, page.next)}>; rel="next"`;
    const others = response.getHeader('Link');
    response.setHeader('Link', others === undefined ? next : `${String(others)}, ${next}`);
  }
  const [item] = (page?.isOfOneId === true ? page : []) as readonly object[];
  if (item) response.setHeader('ETag', versionOf(item));
}

function pageIn(result: unknown): Page<unknown> | undefined {
  if (result instanceof Page) return result;
  if (typeof result !== 'object' || result === null) return undefined;
  return Object.values(result).find((value): value is Page<unknown> => value instanceof Page);
}

function withCursor({ url }: Request, cursor: string): string {
  const query = new URLSearchParams(url.split('?')[1]);
  query.set('cursor', cursor);
  return query.toString();
}
