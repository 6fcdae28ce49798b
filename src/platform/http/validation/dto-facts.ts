import type { Type } from '@nestjs/common';
import { defaultMetadataStorage, type TypeMetadata } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { memoize } from '../../kernel/cache/memoize.js';
import { INT64_LIST_RULE, INT64_RULE } from './property.decorators.js';

/** What is known of a DTO from its decorators, which do not change after the start. */
export interface DtoFacts {
  /** The members that the DTO takes, by their names in a request. */
  readonly members: ReadonlyMap<string, string>;
  /** The members with a `@Type()` and the rule `@ValidateNested()`, by the same names. */
  readonly nested: ReadonlyMap<string, TypeMetadata>;
  /** The members that must be integers, or arrays of them, by the same names. */
  readonly integers: ReadonlySet<string>;
  /** The members that may have several values, by the same names. */
  readonly lists: ReadonlySet<string>;
}

export const factsOf = memoize((dto: Type): DtoFacts => {
  const members = new Map<string, string>();
  const nested = new Map<string, TypeMetadata>();
  const validated = propertiesOf(dto, ({ type }) => type === ValidationTypes.NESTED_VALIDATION);
  const integers = new Set<string>();
  const withIntegers = propertiesOf(dto, ({ name }) => name === 'isInt' || name === INT64_RULE);
  const lists = new Set<string>();
  const withLists = propertiesOf(dto, ({ each, name }) => each || isListRule(name));
  for (const property of propertiesOf(dto)) {
    const exposed = defaultMetadataStorage.findExposeMetadata(dto, property)?.options.name;
    const type = validated.has(property) ? defaultMetadataStorage.findTypeMetadata(dto, property) : undefined;
    for (const name of exposed === undefined ? [property] : [property, exposed]) {
      members.set(name, property);
      if (type) nested.set(name, type);
      if (withIntegers.has(property)) integers.add(name);
      if (withLists.has(property) || designType(dto, property) === Array) lists.add(name);
    }
  }
  return { members, nested, integers, lists };
});

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** The rules of all groups. */
const rulesOfDto = (dto: Type): Rule[] =>
  getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);

const propertiesOf = (dto: Type, isMeant: (rule: Rule) => boolean = () => true): ReadonlySet<string> =>
  new Set(
    rulesOfDto(dto)
      .filter(isMeant)
      .map(({ propertyName }) => propertyName),
  );

const isListRule = (name = ''): boolean =>
  name === 'isArray' || name.startsWith('array') || name === INT64_LIST_RULE;

/** What TypeScript emits as the type of a decorated property. */
export const designType = (dto: Type, property: string): unknown =>
  Reflect.getMetadata('design:type', dto.prototype as object, property);

/**
 * The class that class-transformer makes of one object in a member, by its discriminator if it has one;
 * undefined if unknown.
 */
export function nestedType(
  { typeFunction, options, propertyName }: TypeMetadata,
  object: object,
  item: object,
): Type<object> | undefined {
  const { property = '', subTypes = [] } = options.discriminator ?? {};
  const kind = (item as Record<string, unknown>)[property];
  const subType = subTypes.find(({ name }) => name === kind);
  if (subType) return subType.value as Type<object>;
  try {
    const type = typeFunction({ newObject: {}, object, property: propertyName });
    return typeof type === 'function' ? (type as Type<object>) : undefined;
  } catch {
    return undefined; // its class depends on what is not made yet
  }
}
