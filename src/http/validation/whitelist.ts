import type { Type } from '@nestjs/common';
import type { Path } from '../../kernel/errors/field-error.js';
import { type DtoProperty, type DtoSchema, dtoSchema } from './dto-schema.js';

interface Whitelisted {
  /** The value without unknown properties; the same object if it has none. */
  readonly value: object;
  /** Paths of the first unknown properties. */
  readonly unknown: readonly Path[];
  /** An array with which there are more than `MAX_ITEMS` objects. */
  readonly tooLong?: Path;
}

const MAX_UNKNOWN = 100;
/**
 * Objects in arrays without an `@ArrayMaxSize()`, all arrays of a body together. class-transformer and class-validator
 * take 2 to 6 µs for each (docs/performance.md), and 34 000 fit into a body.
 */
export const MAX_ITEMS = 1_000;

/**
 * Removes the properties that a DTO and its nested DTOs do not name. It runs before class-transformer, which drops some names
 * silently (`constructor`), takes quadratic time for many, and transforms arrays of any length: an array is cut to one item
 * more than its `@ArrayMaxSize()`, so that the rule still fails.
 */
export function whitelist(value: object, dto: Type): Whitelisted {
  const search = new Search();
  const part = search.properties(value, () => dto);
  return { value: part, unknown: search.unknown, tooLong: search.tooLong };
}

type TypeOf = (value: object) => Type;

class Search {
  readonly unknown: Path[] = [];
  tooLong?: Path;
  /** Of arrays without a maximum. */
  private items = 0;
  private readonly path: (string | number)[] = [];

  properties(value: object, typeOf: TypeOf): object {
    const schema = dtoSchema(typeOf(value));
    if (!schema) return value;
    const part: Record<string, unknown> = {};
    let isWhole = !this.noteUnknown(Object.keys(value), schema);
    for (const [name, property] of schema) {
      if (!Object.hasOwn(value, name)) continue;
      const given = (value as Record<string, unknown>)[name];
      part[name] = isObject(given) ? this.at(name, () => this.property(given, property, value)) : given;
      isWhole &&= part[name] === given;
    }
    if (isWhole) return value;
    return part;
  }

  private partOf(value: unknown, typeOf: TypeOf, isBounded = false): unknown {
    if (Array.isArray(value)) return this.arrayPart(value, typeOf, isBounded);
    return isObject(value) ? this.properties(value, typeOf) : value;
  }

  private arrayPart(items: readonly unknown[], typeOf: TypeOf, isBounded: boolean): readonly unknown[] {
    if (!isBounded) this.items += items.length;
    if (this.items > MAX_ITEMS) {
      this.tooLong ??= [...this.path];
      return [];
    }
    const parts = items.map((item, index) => this.at(index, () => this.partOf(item, typeOf)));
    return parts.every((part, index) => part === items[index]) ? items : parts;
  }

  private noteUnknown(names: readonly string[], schema: DtoSchema): boolean {
    let any = false;
    for (const name of names) {
      if (schema.has(name)) continue;
      any = true;
      if (this.unknown.length === MAX_UNKNOWN) break;
      this.unknown.push([...this.path, name]);
    }
    return any;
  }

  private property(given: object, { typeOf, maxItems }: DtoProperty, parent: object): unknown {
    if (!typeOf) return withoutPrototypeNames(given);
    const bounded = Array.isArray(given) && given.length > maxItems ? given.slice(0, maxItems + 1) : given;
    return this.partOf(bounded, (value) => typeOf(value, parent), Number.isFinite(maxItems));
  }

  private at<T>(step: string | number, read: () => T): T {
    this.path.push(step);
    const result = read();
    this.path.pop();
    return result;
  }
}

/** Names that let a careless merge pollute the prototype of every object. */
const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** For an untyped property, such as an `@IsObject()`: Nest's own pipe removes these names too. */
function withoutPrototypeNames(value: unknown): unknown {
  const found: unknown[] = [value];
  for (let one = found.pop(); one !== undefined; one = found.pop()) {
    if (Array.isArray(one)) {
      for (const item of one) if (isObject(item)) found.push(item);
    } else if (isRecord(one)) {
      for (const name in one) {
        if (PROTOTYPE_NAMES.has(name)) Reflect.deleteProperty(one, name);
        else if (isObject(one[name])) found.push(one[name]);
      }
    }
  }
  return value;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isRecord = (value: unknown): value is Record<string, unknown> => isObject(value);

/** Whether an array holds more than `MAX_ITEMS` objects, in arrays inside of it too. */
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
