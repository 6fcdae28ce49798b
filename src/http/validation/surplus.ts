import type { Type } from '@nestjs/common';
import type { Path } from '../../kernel/errors/field-error.js';
import { type DtoProperty, dtoSchema } from './dto-schema.js';

/** Problems that class-transformer and class-validator do not report, or are too slow to find. */
interface Surplus {
  /** Paths of unknown properties, at most `MAX_UNKNOWN`. */
  readonly unknown: readonly Path[];
  /** The array that exceeds `MAX_ITEMS`. */
  readonly tooLong?: Path;
}

/** The library would drop some unknown names silently (`constructor`), and take quadratic time for many. */
export const MAX_UNKNOWN = 100;
/**
 * Maximum number of items in all arrays of a body that exceed their `@ArrayMaxSize()` or do not have one. The libraries take
 * 2 to 6 µs for each, and 34 000 fit into a body.
 */
export const MAX_ITEMS = 1_000;

/** Compares a value, and its nested values, with their DTOs. Removes names that could pollute prototypes from untyped values. */
export function surplusOf(value: object, dto: Type): Surplus {
  const search = new Search();
  search.properties(value, dto);
  return search;
}

class Search implements Surplus {
  readonly unknown: Path[] = [];
  tooLong?: Path;
  private items = 0;
  private readonly path: (string | number)[] = [];

  properties(value: object, dto: Type): void {
    const schema = dtoSchema(dto);
    if (!schema) return;
    for (const name of Object.keys(value)) {
      if (this.unknown.length === MAX_UNKNOWN) return;
      const property = schema.get(name);
      const given = (value as Record<string, unknown>)[name];
      if (!property) this.unknown.push([...this.path, name]);
      else if (isObject(given)) this.property(name, given, property, value);
    }
  }

  private property(name: string, given: object, { typeOf, maxItems }: DtoProperty, parent: object): void {
    this.path.push(name);
    if (!typeOf) removePrototypeNames(given);
    else this.part(given, (value) => typeOf(value, parent), maxItems);
    this.path.pop();
  }

  private part(value: object, typeOf: (value: object) => Type, maxItems = 0): void {
    if (!Array.isArray(value)) {
      this.properties(value, typeOf(value));
      return;
    }
    if (value.length > maxItems) this.items += value.length;
    if (this.items > MAX_ITEMS) {
      this.tooLong ??= [...this.path];
      return;
    }
    for (const [index, item] of value.entries()) {
      this.path.push(index);
      if (isObject(item)) this.part(item, typeOf);
      this.path.pop();
    }
  }
}

/** Names that let a careless merge pollute the prototype of every object. */
const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** For an untyped property, such as `@IsObject()`. Nest's ValidationPipe removes these names too. */
function removePrototypeNames(value: object): void {
  const found: object[] = [value];
  for (let one = found.pop(); one !== undefined; one = found.pop()) {
    if (Array.isArray(one)) {
      for (const item of one) if (isObject(item)) found.push(item);
    } else {
      for (const name in one) {
        const item = (one as Record<string, unknown>)[name];
        if (PROTOTYPE_NAMES.has(name)) Reflect.deleteProperty(one, name);
        else if (isObject(item)) found.push(item);
      }
    }
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether an array, including nested arrays, contains more than `MAX_ITEMS` objects. */
export function holdsTooMany(array: readonly unknown[]): boolean {
  const found: unknown[] = [array];
  let objects = 0;
  for (let one = found.pop(); one !== undefined; one = found.pop()) {
    for (const item of one as unknown[]) {
      if (Array.isArray(item)) found.push(item);
      if (isObject(item)) objects += 1;
    }
    if (objects > MAX_ITEMS) return true;
  }
  return false;
}
