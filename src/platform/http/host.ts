import type { IncomingMessage } from 'node:http';
import { DomainError } from '../errors/domain-error.js';

/** `uri-host [":" port]` of RFC 3986: names, addresses and percent-encoding, without user, path or query. */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

class InvalidHost extends DomainError {
  constructor() {
    super('invalid', 'malformed_request', 'HTTP/1.1 requires one valid Host header (RFC 9112, section 3.2).');
  }
}

/** @throws InvalidHost for HTTP/1.1 without a `Host`, and for an invalid or second one */
export function checkHost({ headers: { host }, rawHeaders, httpVersion }: IncomingMessage): void {
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host) || countHosts(rawHeaders) > 1)
    throw new InvalidHost();
}

/** `headers` has only the first one. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') count += 1;
  return count;
}
