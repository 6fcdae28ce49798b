import type { IncomingMessage } from 'node:http';
import { ValidationFailed } from '../../kernel/errors/common.errors.js';
import { DomainError } from '../../kernel/errors/domain-error.js';
import { parameterError } from '../../kernel/errors/field-error.js';

/** `uri-host [":" port]` of RFC 3986: names, addresses and percent-encoding, without user, path or query. */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;
/** Header lines of a request. Browsers and proxies send up to fifty together. */
export const MAX_HEADERS = 200;
/** Parameters of a query, empty ones included. A form has as many fields. */
const MAX_PARAMETERS = 1_000;

export class InvalidHost extends DomainError {
  constructor() {
    super('invalid', 'malformed_request', 'HTTP/1.1 requires one valid Host header (RFC 9112, section 3.2).');
  }
}

class SeveralKeys extends DomainError {
  constructor() {
    super('invalid', 'malformed_request', 'Send one Authorization header (RFC 9110, section 5.3).');
  }
}

const TOO_MANY_PARAMETERS = parameterError('query', ['query'], {
  code: 'length',
  message: `The query must have at most ${MAX_PARAMETERS} parameters`,
});

class TooManyHeaders extends DomainError {
  constructor() {
    super('headers_too_large', 'headers_too_large', `The request has more than ${MAX_HEADERS} header lines.`);
  }
}

/** Whether several keys are sent. None of them counts: a proxy in front may have judged another one. */
export const hasSeveralKeys = ({ rawHeaders }: IncomingMessage): boolean =>
  occurrencesOf('authorization', rawHeaders) > 1;

/**
 * @throws InvalidHost for HTTP/1.1 without a `Host`, and for an invalid or second one
 * @throws SeveralKeys for a second `Authorization`
 * @throws TooManyHeaders
 * @throws ValidationFailed for too many parameters in the query
 */
export function checkHead(request: IncomingMessage): void {
  const { headers, httpVersion, rawHeaders } = request;
  const { host } = headers;
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host) || occurrencesOf('host', rawHeaders) > 1)
    throw new InvalidHost();
  if (hasSeveralKeys(request)) throw new SeveralKeys();
  if (hasTooManyParameters(request)) throw new ValidationFailed([TOO_MANY_PARAMETERS]);
  if (rawHeaders.length > 2 * MAX_HEADERS) throw new TooManyHeaders(); // names and values
}

/** Counts without parsing, and only where the target is long enough. */
function hasTooManyParameters({ url = '' }: IncomingMessage): boolean {
  if (url.length < MAX_PARAMETERS) return false;
  let at = url.indexOf('?');
  for (let count = 0; at >= 0; count++) {
    if (count === MAX_PARAMETERS) return true;
    at = url.indexOf('&', at + 1);
  }
  return false;
}

/**
 * How often a header occurs; `headers` has only the first of those that may occur once, and `headersDistinct`
 * parses all.
 */
function occurrencesOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i];
    if (sent?.length === name.length && sent.toLowerCase() === name) count += 1;
  }
  return count;
}
