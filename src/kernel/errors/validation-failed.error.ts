import { DomainError } from './domain-error.js';
import type { FieldError } from './field-error.js';

/** A client corrects a handful at a time. A response many times as long as its request would only serve an attacker. */
const MAX_DETAILS = 20;

export class ValidationFailed extends DomainError {
  constructor(errors: readonly FieldError[]) {
    const details = errors.slice(0, MAX_DETAILS);
    const more = errors.length > MAX_DETAILS ? [`Only the first ${MAX_DETAILS} errors are listed`] : [];
    const sentences = [...details.map(({ message }) => message), ...more];
    super('invalid', 'validation_failed', sentences.map((sentence) => `${sentence}.`).join(' '), details);
  }
}
