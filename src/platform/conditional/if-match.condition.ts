import { ValidationFailed } from '../errors/common.errors.js';
import { DomainError } from '../errors/domain-error.js';
import { parameterError } from '../errors/field-error.js';
import { versionOf } from './etag.js';

const CHANGED = 'The resource has changed since you read it. Fetch it again and retry.';
const ALTERED =
  'If-Match needs the ETag as the service sent it. This one is weak (W/) or has a suffix, as a proxy makes it that compresses ' +
  'responses. Fetch the resource with "Accept-Encoding: identity" and send that ETag.';

/** The current version of the resource differs from the one the client expects. */
export class PreconditionFailed extends DomainError {
  static override readonly help = {
    meaning:
      'The resource changed since you read the version in `If-Match`, or a proxy has altered the `ETag`.',
    action:
      'Fetch the resource again, apply your change to it, and send it with the new `ETag`. If the message says that the `ETag` ' +
      'is weak, fetch it with `Accept-Encoding: identity`.',
  };

  constructor(message = CHANGED) {
    super('precondition_failed', 'precondition_failed', message);
  }

  /** The client has sent a tag that no version of the resource can have had. */
  static ofAlteredTag(): PreconditionFailed {
    return new PreconditionFailed(ALTERED);
  }
}

/** The version that a resource must have for a client's change. */
export class IfMatchCondition {
  /** Accepts every version. */
  static readonly any = new IfMatchCondition(undefined);

  /** @param tags acceptable entity tags; `undefined` for any */
  constructor(private readonly tags: readonly string[] | undefined) {}

  /**
   * @param current the resource as GET sends it, after a serializer of the route, or the `ETag` if the route sets its own
   * @throws PreconditionFailed
   */
  check(current: object | string): void {
    if (!this.tags) return;
    const version = typeof current === 'string' ? current : versionOf(current);
    if (!isWeak(version) && this.tags.includes(version)) return; // the comparison is strong (RFC 9110, section 13.1.1)
    if (this.tags.some((tag) => isWeak(tag) || hasSuffix(tag, version)))
      throw PreconditionFailed.ofAlteredTag();
    throw new PreconditionFailed();
  }
}

const isWeak = (tag: string): boolean => tag.startsWith('W/');

/** Apache's mod_deflate turns `"abc"` into `"abc-gzip"`. */
const hasSuffix = (tag: string, version: string): boolean => tag.startsWith(`${version.slice(0, -1)}-`);

/** RFC 9110, section 8.8.3. */
const TAG = /(?:W\/)?"[!\x23-\x7e\x80-\xff]*"/g;

/**
 * The version in an `If-Match` header (RFC 9110, section 13.1.1). Without the header, or for `*`, it is any version.
 * @throws ValidationFailed for a header that is neither `*` nor a list of entity tags
 */
export function ifMatchCondition(ifMatch: string | undefined): IfMatchCondition {
  if (ifMatch === undefined || ifMatch.trim() === '*') return IfMatchCondition.any;
  const tags = ifMatch.match(TAG);
  if (!tags || /[^\s,]/.test(ifMatch.replace(TAG, ''))) throw malformed();
  return new IfMatchCondition(tags);
}

const malformed = (): ValidationFailed =>
  new ValidationFailed([
    parameterError('header', ['If-Match'], {
      code: 'format',
      message: 'If-Match must be * or a list of ETags, each in double quotes',
    }),
  ]);
