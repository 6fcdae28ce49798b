import type { Type } from '@nestjs/common';
import { type ExposeMetadata, TransformationType, type TypeMetadata } from 'class-transformer';
import { defaultMetadataStorage as transformers } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage } from 'class-validator';
import { memoize } from '../../kernel/caching.js';

/** A property of a DTO. */
export interface DtoProperty {
  /** Its name in the class. */
  readonly name: string;
  /** The class of its `@Type()`. */
  readonly typeOf: ((value: object, parent: object) => Type) | undefined;
  /** The limit of its `@ArrayMaxSize()`; 0 without one. */
  readonly maxItems: number;
}

/** The properties of a DTO, including inherited ones, by the name that clients send. */
type DtoSchema = ReadonlyMap<string, DtoProperty>;

/** Reads the metadata of class-validator and class-transformer; `undefined` for a class without rules, which is not a DTO. */
export const dtoSchema = (type: unknown): DtoSchema | undefined =>
  typeof type === 'function' ? schemaOf(type as Type) : undefined;

const schemaOf = memoize((dto: Type): DtoSchema | undefined => {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);
  if (rules.length === 0) return undefined;
  const names = new Set(rules.map(({ propertyName }) => propertyName));
  const maxItems = new Map(
    rules
      .filter(({ name }) => name === 'arrayMaxSize')
      .map(({ propertyName, constraints: [max] }) => [propertyName, Number(max)]),
  );
  return new Map(
    [...names].map((name) => [
      sentAs(dto, name),
      { name, typeOf: typeOf(dto, name), maxItems: maxItems.get(name) ?? 0 },
    ]),
  );
});

/** The name that clients send: `@Expose({ name })` may change it. */
const sentAs = (dto: Type, name: string): string => {
  const expose = transformers.findExposeMetadata(dto, name) as ExposeMetadata | undefined; // the types omit undefined
  return expose?.options.name ?? name;
};

function typeOf(dto: Type, name: string): DtoProperty['typeOf'] {
  const metadata = transformers.findTypeMetadata(dto, name) as TypeMetadata | undefined; // the types omit undefined
  if (!metadata) return undefined;
  const { discriminator } = metadata.options;
  return (value, parent) => {
    const kind = discriminator && (value as Record<string, unknown>)[discriminator.property];
    const subType = discriminator?.subTypes.find(({ name: other }) => other === kind)?.value;
    const type = subType ?? metadata.typeFunction({ newObject: {}, object: parent as never, property: name });
    return type as Type;
  };
}

/** Whether the class of an object, or of one nested in it, has properties with `@Exclude()`. */
export function hidesProperties(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const excluded = transformers.getExcludedProperties(value.constructor, TransformationType.CLASS_TO_PLAIN);
  return excluded.length > 0 || Object.values(value).some(hidesProperties);
}
