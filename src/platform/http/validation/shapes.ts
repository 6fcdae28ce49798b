import type { Type } from '@nestjs/common';
import { type FieldError, kindOf, type Path, shown } from '../../kernel/errors/field-error.js';
import { factsOf, nestedType } from './dto-facts.js';
import { type Argument, invalid } from './field-errors.js';

/**
 * The lists and objects of a body that are neither: class-validator names them by what their members lack, or not
 * at all.
 */
export function* wrongShapes(
  value: object,
  dto: Type,
  argument: Argument,
  path: Path,
): Generator<FieldError> {
  const { nested, lists } = factsOf(dto);
  for (const [name, metadata] of nested) {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined || member === null || metadata.reflectedType === Map) continue; // its rules decide
    const place = [...path, name];
    if (lists.has(name) && !Array.isArray(member)) {
      yield wrong(place, 'an array', member, argument);
      continue;
    }
    for (const [index, item] of (Array.isArray(member) ? member : [member]).entries()) {
      const at = Array.isArray(member) ? [...place, String(index)] : place;
      if (Array.isArray(item)) continue; // its rules decide whether a list may be in a list
      if (typeof item !== 'object' || item === null) {
        yield wrong(at, 'an object', item, argument);
        continue;
      }
      const type = nestedType(metadata, value, item as object);
      if (type) yield* wrongShapes(item as object, type, argument, at);
    }
  }
}

const wrong = (path: Path, expected: string, value: unknown, argument: Argument): FieldError =>
  invalid(path, 'type', `${shown(path)} must be ${expected}, not ${kindOf(value)}`, argument);

/** Without what class-validator says of the members of wrong shapes. */
export const withoutMembersOf = (
  shapes: readonly FieldError[],
  broken: readonly FieldError[],
): FieldError[] => broken.filter(({ field }) => !shapes.some((shape) => isAbout(field, shape.field)));

/** Whether an error is about a wrong item, or about its list: class-validator leaves the place of an item out. */
function isAbout(field: string, wrongPlace: string): boolean {
  if (field === wrongPlace || field.startsWith(`${wrongPlace}.`)) return true;
  const [, list] = /^(.*)\.\d+$/.exec(wrongPlace) ?? [];
  if (list === undefined || !(field === list || field.startsWith(`${list}.`))) return false;
  return !/^\.\d+(\.|$)/.test(field.slice(list.length));
}
