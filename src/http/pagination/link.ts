import type { Request } from 'express';
import type { PublicUrl } from '../public-url.js';

/** The `Link` of a page that is not the last one (RFC 8288): the same request, one cursor further, with an absolute URL. */
export function linkToNext(request: Request, cursor: string): string {
  const { base } = request.app.locals.publicUrl as PublicUrl;
  return `<${base}${request.path}?${withCursor(request, cursor)}>; rel="next"`;
}

/** A cursor is base64url, so it can be appended as it is; only where one stands already the query is taken apart. */
function withCursor({ url, query }: Request, cursor: string): string {
  const start = url.indexOf('?');
  if (start < 0) return `cursor=${cursor}`;
  if (/^[\w=&.-]*$/.test(url.slice(start + 1)) && !url.includes('cursor='))
    return `${url.slice(start + 1)}&cursor=${cursor}`;
  return new URLSearchParams({ ...(query as Record<string, string>), cursor }).toString();
}
