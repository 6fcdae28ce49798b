import { type ArgumentMetadata, Injectable, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import type { FieldProblem } from '../../kernel/errors/field-problem.js';
import { ValidationFailed } from '../../kernel/errors/validation-failed.error.js';
import { knownMembers } from './known-members.js';
import { quickCheck } from './quick-check.js';
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
    const { type, metatype } = metadata;
    if (type === 'body') refuseWhatIsNoObject(value);
    const valid = isObject(value) && metatype ? quickCheck(metatype, value) : undefined;
    // The base class promises a promise; whoever calls it takes a value as well.
    return (valid as Promise<unknown> | undefined) ?? this.check(value, metadata);
  }

  private async check(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const unknown = takeUnknown(value, metadata);
    if (unknown.length === 0) return super.transform(value, metadata);
    const others = await this.problemsOf(value, metadata);
    throw new ValidationFailed([...others, ...unknown.map(unknownField)]);
  }

  private async problemsOf(value: unknown, metadata: ArgumentMetadata): Promise<readonly FieldProblem[]> {
    try {
      await super.transform(value, metadata);
      return [];
    } catch (error) {
      if (error instanceof ValidationFailed) return error.details ?? [];
      throw error;
    }
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function refuseWhatIsNoObject(value: unknown): void {
  if (!isObject(value) || Array.isArray(value)) {
    throw new ValidationFailed([{ field: 'body', message: 'The body must be a JSON object' }]);
  }
}

/**
 * Takes the members out that the DTO does not name, and tells their names. Before class-transformer sees them: it
 * drops some without a word (`constructor`, `toString`), and takes quadratic time over many.
 */
function takeUnknown(value: unknown, { metatype }: ArgumentMetadata): string[] {
  if (typeof value !== 'object' || value === null || metatype === undefined) return [];
  const known = knownMembers(metatype);
  if (known.size === 0) return []; // no DTO
  const unknown = Object.keys(value).filter((name) => !known.has(name));
  for (const name of unknown) Reflect.deleteProperty(value, name);
  return unknown;
}

function problems(error: ValidationError, parent = ''): FieldProblem[] {
  const field = parent + error.property;
  const own = Object.entries(error.constraints ?? {}).map(([rule, message]) =>
    rule === 'whitelistValidation' ? unknownField(field) : { field, message },
  );
  return [...own, ...(error.children ?? []).flatMap((child) => problems(child, `${field}.`))];
}
