import { getMetadataStorage, type ValidationError } from 'class-validator';
import { type FieldError, type Path, shown } from '../../kernel/errors/field-error.js';
import { dtoSchema } from './dto-schema.js';
import { fieldCode } from './field-codes.js';

export type What = Pick<FieldError, 'code' | 'message'>;

/** What class-validator has found, each with the path to its value. */
export function* fieldErrors(
  errors: readonly ValidationError[],
  parent: Path = [],
): Generator<{ path: Path; what: What }> {
  for (const error of errors) {
    const path = [...parent, sentName(error)];
    for (const rule of Object.keys(error.constraints ?? {})) yield { path, what: whatOf(error, rule, path) };
    yield* fieldErrors(error.children ?? [], path);
  }
}

function whatOf(error: ValidationError, rule: string, path: Path): What {
  const message = error.constraints?.[rule] ?? '';
  if (error.value === undefined && !hasOwnMessage(error, rule)) {
    return { code: 'required', message: `${shown(path)} is required` };
  }
  const { property } = error;
  const code = error.value === undefined ? 'required' : fieldCode(rule, error.contexts?.[rule]);
  const rest = message.startsWith(`${property} `) ? message.slice(property.length) : undefined;
  return { code, message: rest === undefined ? message : shown(path) + rest };
}

/** A message that a module has given to its rule says what is missing better than ours. */
function hasOwnMessage({ target, property }: ValidationError, rule: string): boolean {
  if (!target) return false;
  const rules = getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', true, false);
  return rules.some(
    ({ propertyName, name, type, message }) =>
      propertyName === property && (name ?? type) === rule && Boolean(message),
  );
}

/** The name by which the client has sent the property. */
function sentName({ target, property }: ValidationError): string {
  for (const [sent, { name }] of dtoSchema(target?.constructor) ?? []) if (name === property) return sent;
  return property;
}
