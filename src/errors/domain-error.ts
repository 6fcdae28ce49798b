import type { FieldProblem } from './field-problem.js';

/** What kind of refusal this is. The error filter alone knows which HTTP status each kind becomes. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'conflict'
  | 'gone'
  | 'too_large'
  | 'unsupported_media_type'
  | 'unprocessable'
  | 'rate_limited'
  | 'internal'
  | 'unavailable';

/** A refusal with a meaning: `code` is for programs and never changes, `message` is for people. */
export class DomainError extends Error {
  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    message: string,
    readonly details?: readonly FieldProblem[],
  ) {
    super(message);
    this.name = new.target.name;
  }
}
