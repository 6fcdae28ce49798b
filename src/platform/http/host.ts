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
export function checkHost({ headersDistinct, httpVersion }: IncomingMessage): void {
  const { host: hosts = [] } = headersDistinct;
  const isMissing = hosts.length === 0 && httpVersion === '1.1';
  if (isMissing || hosts.length > 1 || !hosts.every((host) => HOST.test(host))) throw new InvalidHost();
}
