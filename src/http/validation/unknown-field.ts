import type { FieldProblem } from '../../kernel/errors/field-problem.js';

const LONGEST_NAME = 100;

/** The name came from outside: of a long one only the start is told back. */
export function unknownField(name: string): FieldProblem {
  const field = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME).toWellFormed()}…` : name;
  return { field, message: `${field} is not known here` };
}
