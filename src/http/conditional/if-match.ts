import { DomainError } from '../../kernel/errors/domain-error.js';

export class PreconditionFailed extends DomainError {
  constructor() {
    super(
      'precondition_failed',
      'precondition_failed',
      'The resource has changed since you read it. Fetch it again and retry.',
    );
  }
}

/**
 * Checks that the client knows the current version (RFC 9110, section 13.1.1). A request without the header passes, and so
 * does `*`.
 * @param ifMatch the request's `If-Match` header
 * @param etag of the current version, in its quotes
 * @throws PreconditionFailed
 */
export function checkIfMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const known: readonly string[] = ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? [];
  const isWeak = etag.startsWith('W/'); // a weak one matches nothing here
  if (isWeak || !known.includes(etag)) throw new PreconditionFailed();
}
