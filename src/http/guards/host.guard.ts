import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../kernel/errors/domain-error.js';

/** `uri-host [":" port]` of RFC 3986: names, addresses and percent-encoding, without user, path or query. */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

class InvalidHost extends DomainError {
  constructor() {
    super('invalid', 'malformed_request', 'HTTP/1.1 requires one valid Host header (RFC 9112, section 3.2).');
  }
}

/** @throws InvalidHost for HTTP/1.1 without a `Host`, and for an invalid or second one */
export function checkHost({ headers, httpVersion, rawHeaders }: IncomingMessage): void {
  const { host } = headers;
  const missing = host === undefined && httpVersion === '1.1';
  if (missing || (host !== undefined && !HOST.test(host)) || hosts(rawHeaders) > 1) throw new InvalidHost();
}

/** Counts them in the raw headers, because `headers` contains only the first. */
function hosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** Rejects a request without exactly one valid host. */
@Injectable()
export class HostGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    checkHost(context.switchToHttp().getRequest<Request>());
    return true;
  }
}
