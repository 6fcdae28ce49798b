import { ValidateIf } from 'class-validator';

/** The value may be left out. Unlike class-validator's `@IsOptional()` this does not let a `null` through. */
export const Optional = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);
