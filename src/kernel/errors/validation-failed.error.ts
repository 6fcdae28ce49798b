import { DomainError } from './domain-error.js';
import type { FieldProblem } from './field-problem.js';

/** A client corrects a handful at a time. An answer many times as long as its request would only serve an attacker. */
const MOST_DETAILS = 20;

export class ValidationFailed extends DomainError {
  constructor(problems: readonly FieldProblem[]) {
    const details = problems.slice(0, MOST_DETAILS);
    super('invalid', 'validation_failed', details.map(({ message }) => `${message}.`).join(' '), details);
  }
}
