import type { Request } from 'express';

/** Characters of `If-Match` and `If-None-Match`. */
export const MAX_CONDITION = 2_048;

/**
 * Characters of the headers by which a client chooses among representations. Browsers send up to 150 of
 * `Accept` and 30 of `Accept-Encoding`, caches a dozen tags of 24; to parse 16,000 takes most of a
 * millisecond, for whoever is next too.
 */
const LONGEST = { accept: 1_024, 'accept-encoding': 256, 'if-none-match': MAX_CONDITION } as const;

/**
 * Takes away what no real client sends: the request gets the default representation, in full. A write needs
 * its condition.
 */
export function ignoreLongNegotiation({ method, headers }: Request): void {
  if (isTooLong(headers, 'accept')) delete headers.accept;
  if (isTooLong(headers, 'accept-encoding')) delete headers['accept-encoding'];
  if ((method === 'GET' || method === 'HEAD') && isTooLong(headers, 'if-none-match'))
    delete headers['if-none-match'];
}

const isTooLong = (headers: Request['headers'], name: keyof typeof LONGEST): boolean =>
  (headers[name]?.length ?? 0) > LONGEST[name];
