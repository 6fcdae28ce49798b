import { ValidateBy, ValidateIf } from 'class-validator';

interface Rule {
  readonly name: string;
  /** The `code` of the error in a response. */
  readonly code: string;
  readonly test: (value: unknown) => boolean;
  /** `must be …`, after the name of the field. */
  readonly message: string;
}

/** Makes a constraint of class-validator from a predicate. */
export function rule({ name, code, test, message }: Rule): PropertyDecorator {
  const validator = { validate: test, defaultMessage: () => `$property ${message}` };
  return ValidateBy({ name, validator }, { context: { code } });
}

/** The value may be omitted. Unlike class-validator's `@IsOptional()`, this does not accept `null`. */
export const Optional = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);
