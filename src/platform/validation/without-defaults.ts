import type { Type } from '@nestjs/common';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
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
  const nested = new Map<string, Type<object>>();
  for (const [property, inner] of factsOf(dto).nested) {
    const metadata = defaultMetadataStorage.findTypeMetadata(dto, property);
    if (!metadata || [Array, Set, Map].some((collection) => collection === metadata.reflectedType)) continue;
    // not before it is needed: a class can be nested in itself
    defaultMetadataStorage.addTypeMetadata({
      ...metadata,
      target: type,
      typeFunction: () => partialOf(inner).type,
    });
    nested.set(property, inner);
  }
  return { type, restore };

  function restore(instance: object): void {
    Object.setPrototypeOf(instance, dto.prototype as object);
    for (const [property, inner] of nested) {
      const partial = partialOf(inner);
      const value = (instance as Record<string, unknown>)[property];
      if (value instanceof partial.type) partial.restore(value);
    }
  }
});

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
