import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiErrors } from '../../kernel/errors/api-errors.decorator.js';
import { ValidationFailed } from '../../kernel/errors/common.errors.js';
import { DomainError } from '../../kernel/errors/domain-error.js';
import { parameterError } from '../../kernel/errors/field-error.js';
import { MAX_CONDITION } from '../core/middleware/negotiation.js';
import { requestParameter } from '../core/request-parameter.js';
import { opaque, versionOf } from './response-headers.js';

const CHANGED = 'The resource has changed since you read it. Fetch it again and retry.';
const KNOWN = 'The resource has a version that If-None-Match excludes, so it was not changed.';
const ALTERED =
  'If-Match needs the ETag as the service sent it. This one is weak (W/) or has a suffix, which a proxy adds when it ' +
  'compresses responses. Fetch the resource with "Accept-Encoding: identity" and send that ETag.';

/** The current version of the resource differs from the one the client expects. */
export class PreconditionFailed extends DomainError {
  static override readonly help = {
    meaning:
      'The resource changed since you read the version in `If-Match`, a proxy has altered the `ETag`, or `If-None-Match` ' +
      'excludes its current version.',
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

/** Tags of a condition; `*` for every version. */
type Tags = readonly string[] | '*';

/** The version that a resource must have, or must not have, for a client's change. */
export class IfMatchCondition {
  /** Accepts every version. */
  static readonly any = new IfMatchCondition('*', []);

  /**
   * @param expected of `If-Match`
   * @param excluded of `If-None-Match`
   */
  constructor(
    private readonly expected: Tags,
    private readonly excluded: Tags,
  ) {}

  /**
   * @param current the resource as GET sends it, after a serializer of the route, or the `ETag` if the route
   *   sets its own
   * @throws PreconditionFailed
   */
  check(current: object | string): void {
    if (this.excluded === '*' && this.expected === '*') throw new PreconditionFailed(KNOWN);
    if (this.expected === '*' && this.excluded.length === 0) return;
    const version = typeof current === 'string' ? current : versionOf(current);
    if (this.expected !== '*') expectVersion(this.expected, version); // RFC 9110, section 13.2.2: before If-None-Match
    if (isIn(this.excluded, version)) throw new PreconditionFailed(KNOWN);
  }
}

/** The comparison is strong (RFC 9110, section 13.1.1). */
function expectVersion(tags: readonly string[], version: string): void {
  if (!isWeak(version) && tags.includes(version)) return;
  if (tags.some((tag) => isWeak(tag) || hasSuffix(tag, version))) throw PreconditionFailed.ofAlteredTag();
  throw new PreconditionFailed();
}

/** The comparison is weak (RFC 9110, section 13.1.2). */
const isIn = (tags: Tags, version: string): boolean =>
  tags === '*' || tags.map(opaque).includes(opaque(version));

const isWeak = (tag: string): boolean => tag.startsWith('W/');

/** Apache's mod_deflate turns `"abc"` into `"abc-gzip"`. */
const hasSuffix = (tag: string, version: string): boolean => tag.startsWith(`${version.slice(0, -1)}-`);

/** RFC 9110, section 8.8.3. */
const TAG = /(?:W\/)?"[!\x23-\x7e\x80-\xff]*"/g;
/** A list whose tags are empty. It may have empty elements (RFC 9110, section 5.6.1.2). */
const LIST = /^[\s,]*""(?:\s*,[\s,]*"")*[\s,]*$/;

/**
 * The condition in the headers of a write (RFC 9110, sections 13.1.1 and 13.1.2). Without `If-Match`, or for
 * `*`, the resource may have any version.
 * @throws ValidationFailed for a header that is neither `*` nor a list of entity tags
 */
export function ifMatchCondition(headers: IncomingHttpHeaders): IfMatchCondition {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifMatch === undefined && ifNoneMatch === undefined) return IfMatchCondition.any;
  return new IfMatchCondition(
    ifMatch === undefined ? '*' : tagsIn(ifMatch, 'If-Match'),
    ifNoneMatch === undefined ? [] : tagsIn(ifNoneMatch, 'If-None-Match'),
  );
}

function tagsIn(value: string, name: string): Tags {
  if (value.trim() === '*') return '*';
  const tags = value.length > MAX_CONDITION ? undefined : value.match(TAG);
  if (!tags || !LIST.test(value.replace(TAG, '""'))) throw malformedCondition(name);
  return tags;
}

/** For a header that is no condition. */
export const malformedCondition = (name: string): ValidationFailed =>
  new ValidationFailed([
    parameterError('header', [name], {
      code: 'format',
      message: `${name} must be * or a list of ETags, each in double quotes, with commas between them, of at most ${MAX_CONDITION} characters`,
    }),
  ]);

/** The usual form of a header: any version, or a list of tags. */
const TAGS = String.raw`^(\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$`;

const HEADERS = {
  'If-Match':
    'The `ETag` of the version you read, with its quotes, several of them, or `*`. On a mismatch you get 412 ' +
    '`precondition_failed`, also for a weak tag (`W/"…"`), as proxies make it that compress responses. If omitted, nothing is checked.',
  'If-None-Match':
    'Versions that the resource must not have, or `*` for any. If it has one of them, you get 412 `precondition_failed`.',
};

const Expected = requestParameter((context) =>
  ifMatchCondition(context.switchToHttp().getRequest<Request>().headers),
);

/**
 * Reads the version that the client expects, so that concurrent changes are not lost (RFC 9110, section
 * 13.1): `@IfMatch() condition: IfMatchCondition`. `If-None-Match` is part of the condition. Documents both
 * headers and the 412.
 */
export const IfMatch = (): ParameterDecorator => (target, method, index) => {
  Expected()(target, method, index);
  const handler = method === undefined ? undefined : Object.getOwnPropertyDescriptor(target, method);
  if (method === undefined || !handler) throw new TypeError('@IfMatch() is for a parameter of a handler');
  for (const [name, description] of Object.entries(HEADERS))
    ApiHeader({
      name,
      required: false,
      description,
      // The Swagger UI sends an `example`: `*` would refuse every change there.
      schema: { type: 'string', pattern: TAGS, ...(name === 'If-Match' && { example: '*' }) },
    })(target, method, handler);
  ApiErrors(new PreconditionFailed())(target, method, handler);
};
