import { QueryFailedError } from 'typeorm';

/**
 * The name of the constraint that a statement violated, such as a unique name; `undefined` for any other
 * error.
 */
export function violatedConstraint(error: unknown): string | undefined {
  if (!(error instanceof QueryFailedError)) return undefined;
  return (error.driverError as { readonly constraint?: string }).constraint;
}
