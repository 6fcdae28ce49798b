import { ValidateBy } from 'class-validator';

/** A class-validator rule from a predicate and the rest of the sentence that starts with the field's name. */
export function rule(name: string, test: (value: unknown) => boolean, message: string): PropertyDecorator {
  return ValidateBy({
    name,
    validator: { validate: test, defaultMessage: (args) => `${args?.property ?? ''} ${message}` },
  });
}
