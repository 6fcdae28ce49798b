import { ExpectedVersion } from '../../kernel/expected-version.js';

/**
 * The version that an `If-Match` header names (RFC 9110, section 13.1.1): any without the header, and for `*`. A weak tag
 * matches nothing, and neither does a header without a tag.
 */
export function expectedVersion(ifMatch: string | undefined): ExpectedVersion {
  if (ifMatch === undefined || ifMatch.trim() === '*') return ExpectedVersion.any;
  return new ExpectedVersion(ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? []);
}
