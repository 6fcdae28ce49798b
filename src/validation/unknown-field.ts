import type { FieldProblem } from '../errors/field-problem.js';

export const unknownField = (field: string): FieldProblem => ({
  field,
  message: `${field} is not known here`,
});
