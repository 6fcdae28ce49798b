import { DomainError } from '../errors/domain-error.js';
import { versionOf } from './etag.js';

/** The current version of the resource differs from the one the client expects. */
export class PreconditionFailed extends DomainError {
  static override readonly help = {
    meaning: 'The resource changed since you read the version in `If-Match`.',
    action: 'Fetch the resource again, apply your change to it, and send it with the new `ETag`.',
  };

  constructor() {
    super(
      'precondition_failed',
      'precondition_failed',
      'The resource has changed since you read it. Fetch it again and retry.',
    );
  }
}

/** The version that a resource must have for a client's change. */
export class IfMatchCondition {
  /** Accepts every version. */
  static readonly any = new IfMatchCondition(undefined);

  /** @param versions acceptable versions; `undefined` for any */
  constructor(private readonly versions: readonly string[] | undefined) {}

  /**
   * @param current the resource as GET returns it, or the `ETag` if the route sets its own
   * @throws PreconditionFailed
   */
  check(current: object | string): void {
    if (!this.versions) return;
    const version = typeof current === 'string' ? current : versionOf(current);
    const isWeak = version.startsWith('W/'); // If-Match requires strong comparison (RFC 9110, section 13.1.1)
    if (isWeak || !this.versions.includes(version)) throw new PreconditionFailed();
  }
}

/**
 * The version in an `If-Match` header (RFC 9110, section 13.1.1). Without the header, or for `*`, it is any version. A weak tag
 * and a header without a tag match no version.
 */
export function ifMatchCondition(ifMatch: string | undefined): IfMatchCondition {
  if (ifMatch === undefined || ifMatch.trim() === '*') return IfMatchCondition.any;
  return new IfMatchCondition(ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? []);
}
