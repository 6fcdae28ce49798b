import type { Request, Response } from 'express';

/**
 * Adds the `Link` of a page that is not the last one (RFC 8288): the same request, one cursor further, with an
 * absolute URL. @param base address of the service, without `/v1`
 */
export function addNextLink(response: Response, base: string, cursor: string): void {
  const { req: request } = response;
  const next = `<${base}${request.path}?${withCursor(request, cursor)}>; rel="next"`;
  const others = response.getHeader('Link');
  response.setHeader('Link', others === undefined ? next : `${String(others)}, ${next}`);
}

/** A cursor is base64url, so it can be appended as it is; only where the query has one already it is taken apart. */
function withCursor({ url, query }: Request, cursor: string): string {
  const start = url.indexOf('?');
  if (start < 0) return `cursor=${cursor}`;
  if (/^[\w=&.-]*$/.test(url.slice(start + 1)) && !url.includes('cursor='))
    return `${url.slice(start + 1)}&cursor=${cursor}`;
  return new URLSearchParams({ ...(query as Record<string, string>), cursor }).toString();
}
