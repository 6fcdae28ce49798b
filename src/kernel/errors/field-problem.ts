/** One invalid value: where it stood and what is wrong with it. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}
