import type { Type } from '@nestjs/common';
import { Exclude } from 'class-transformer';
import { defaultMetadataStorage, type TypeMetadata } from 'class-transformer/cjs/storage.js';
import { memoize } from '../cache/memoize.js';
import { factsOf } from './dto-facts.js';

interface PartialDto {
  /** A class with the rules of the DTO, whose instances begin without its defaults. */
  readonly type: Type<object>;
  /** Turns an instance into one of the DTO. */
  readonly restore: (instance: object) => void;
}

/**
 * For the DTO of a PATCH: absent members leave theirs unchanged (RFC 7396), but `PartialType()` inherits the defaults of its
 * class, which its constructor sets. Nested objects have none either; an array is replaced as a whole, so its items keep theirs.
 */
export const partialOf: (dto: Type) => PartialDto = memoize((dto) => {
  const type = subclassWithoutConstructor(dto);
  if (factsOf(dto).dropsUnknown) Exclude()(type); // class-transformer does not inherit that of a class
  const nested = new Set<string>();
  for (const property of factsOf(dto).members) {
    const metadata = defaultMetadataStorage.findTypeMetadata(dto, property);
    if (!metadata || [Array, Set, Map].some((collection) => collection === metadata.reflectedType)) continue;
    defaultMetadataStorage.addTypeMetadata({ ...metadata, ...partialTypes(metadata), target: type });
    nested.add(property);
  }
  const partial = { type, restore };
  partials.set(type, partial);
  return partial;

  function restore(instance: object): void {
    Object.setPrototypeOf(instance, dto.prototype as object);
    for (const property of nested) {
      const value = (instance as Record<string, unknown>)[property];
      if (typeof value === 'object' && value !== null) partials.get(value.constructor)?.restore(value);
    }
  }
});

/** The partial DTO of each class that `partialOf` has made. */
const partials = new WeakMap<object, PartialDto>();

/** Their classes are partial ones, which are not made before they are needed: a class can be nested in itself. */
function partialTypes({
  typeFunction,
  options,
}: TypeMetadata): Pick<TypeMetadata, 'typeFunction' | 'options'> {
  const { discriminator } = options;
  const subTypes = discriminator?.subTypes.map(({ name, value }) => ({
    name,
    get value() {
      return partialOf(value as Type).type;
    },
  }));
  return {
    typeFunction: (object) => {
      const type = typeFunction(object);
      return typeof type !== 'function' || BUILT_IN.includes(type) ? type : partialOf(type as Type).type;
    },
    options:
      discriminator && subTypes ? { ...options, discriminator: { ...discriminator, subTypes } } : options,
  };
}

/** The classes that class-transformer converts in its own way, and those without defaults. */
const BUILT_IN: readonly unknown[] = [Object, String, Number, Boolean, Date, Buffer];

function subclassWithoutConstructor(dto: Type): Type<object> {
  function WithoutDefaults(): void {
    // sets nothing
  }
  Object.defineProperty(WithoutDefaults, 'name', { value: dto.name });
  Object.setPrototypeOf(WithoutDefaults, dto); // class-transformer and class-validator inherit its rules
  WithoutDefaults.prototype = Object.create(dto.prototype as object, {
    constructor: { value: WithoutDefaults, writable: true, configurable: true },
  }) as object;
  return WithoutDefaults as unknown as Type<object>; // a function is a class to JavaScript, but not to TypeScript
}
