import { DomainError } from './domain-error.js';
import type { FieldProblem } from './field-problem.js';

export class ValidationFailed extends DomainError {
  constructor(details: readonly FieldProblem[]) {
    super('invalid', 'validation_failed', details.map(({ message }) => `${message}.`).join(' '), details);
  }
}
