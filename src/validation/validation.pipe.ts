import { type ArgumentMetadata, Injectable, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import type { FieldProblem } from '../errors/field-problem.js';
import { ValidationFailed } from '../errors/validation-failed.error.js';
import { unknownField } from './unknown-field.js';

/** Every body and query is checked against its DTO, and what the DTO does not name is refused. */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      stopAtFirstError: true,
      exceptionFactory: (errors) => new ValidationFailed(errors.flatMap((error) => problems(error))),
    });
  }

  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'body') refuseWhatIsNoObject(value);
    // class-transformer drops a member of this name without a word.
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')) {
      throw new ValidationFailed([unknownField('__proto__')]);
    }
    return super.transform(value, metadata);
  }
}

function refuseWhatIsNoObject(value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ValidationFailed([{ field: 'body', message: 'The body must be a JSON object' }]);
  }
}

function problems(error: ValidationError, parent = ''): FieldProblem[] {
  const field = parent + error.property;
  const own = Object.entries(error.constraints ?? {}).map(([rule, message]) =>
    rule === 'whitelistValidation' ? unknownField(field) : { field, message },
  );
  return [...own, ...(error.children ?? []).flatMap((child) => problems(child, `${field}.`))];
}
