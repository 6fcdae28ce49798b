import type { Type } from '@nestjs/common';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage } from 'class-validator';
import { memoize } from '../cache/memoize.js';
import { INT64_LIST_RULE, INT64_RULE } from './property.decorators.js';

/** What is known of a DTO from its decorators, which do not change after the start. */
export interface DtoFacts {
  /** The members that the DTO takes, by their names in a request. */
  readonly members: ReadonlySet<string>;
  /** The classes of its nested members, by the same names. */
  readonly nested: ReadonlyMap<string, Type<object>>;
  /** The members that must be integers, or arrays of them, by the same names. */
  readonly integers: ReadonlySet<string>;
  /** The members that may have several values, by the same names. */
  readonly lists: ReadonlySet<string>;
}

export const factsOf = memoize((dto: Type): DtoFacts => {
  const members = new Set<string>();
  const nested = new Map<string, Type<object>>();
  const integers = new Set<string>();
  const withIntegers = propertiesOf(dto, ({ name }) => name === 'isInt' || name === INT64_RULE);
  const lists = new Set<string>();
  const withLists = propertiesOf(dto, ({ each, name }) => each || isListRule(name));
  for (const property of propertiesOf(dto)) {
    const exposed = defaultMetadataStorage.findExposeMetadata(dto, property)?.options.name;
    const type = nestedType(dto, property);
    for (const name of exposed === undefined ? [property] : [property, exposed]) {
      members.add(name);
      if (type) nested.set(name, type);
      if (withIntegers.has(property)) integers.add(name);
      if (withLists.has(property) || designType(dto, property) === Array) lists.add(name);
    }
  }
  return { members, nested, integers, lists };
});

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** The properties with rules, of any group. */
const propertiesOf = (dto: Type, isMeant: (rule: Rule) => boolean = () => true): ReadonlySet<string> =>
  new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(dto, '', true, false)
      .filter(isMeant)
      .map(({ propertyName }) => propertyName),
  );

const isListRule = (name = ''): boolean =>
  name === 'isArray' || name.startsWith('array') || name === INT64_LIST_RULE;

/** What TypeScript emits as the type of a decorated property. */
export const designType = (dto: Type, property: string): unknown =>
  Reflect.getMetadata('design:type', dto.prototype as object, property);

/** The class in the `@Type()` of a property. */
function nestedType(dto: Type, property: string): Type<object> | undefined {
  try {
    const type = defaultMetadataStorage.findTypeMetadata(dto, property)?.typeFunction();
    return typeof type === 'function' && type !== Date ? (type as Type<object>) : undefined;
  } catch {
    return undefined; // its class depends on the object
  }
}
