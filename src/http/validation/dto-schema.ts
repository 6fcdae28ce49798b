import type { Type } from '@nestjs/common';
import type { ExposeMetadata, TypeMetadata } from 'class-transformer';
import { defaultMetadataStorage as transformers } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage } from 'class-validator';

/** A property that a DTO names. */
export interface DtoProperty {
  /** Its name in the class. */
  readonly name: string;
  /** The class that its objects are made of, where it has a `@Type()`. */
  readonly typeOf: ((value: object, parent: object) => Type) | undefined;
  /** The most items that its `@ArrayMaxSize()` allows. */
  readonly maxItems: number;
}

/** The properties that a DTO names, its own and inherited ones, by the name that a client sends. */
export type DtoSchema = ReadonlyMap<string, DtoProperty>;

const schemas = new WeakMap<object, DtoSchema | null>();

/** What class-validator and class-transformer know of a class; `undefined` where it has no rules and so is not a DTO. */
export function dtoSchema(type: unknown): DtoSchema | undefined {
  if (typeof type !== 'function') return undefined;
  let schema = schemas.get(type);
  if (schema === undefined) schemas.set(type, (schema = read(type as Type)));
  return schema ?? undefined;
}

function read(dto: Type): DtoSchema | null {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);
  if (rules.length === 0) return null;
  const names = new Set(rules.map(({ propertyName }) => propertyName));
  const maxItems = new Map(
    rules
      .filter(({ name }) => name === 'arrayMaxSize')
      .map(({ propertyName, constraints: [max] }) => [propertyName, Number(max)]),
  );
  return new Map(
    [...names].map((name) => [
      sentAs(dto, name),
      { name, typeOf: typeOf(dto, name), maxItems: maxItems.get(name) ?? Number.POSITIVE_INFINITY },
    ]),
  );
}

/** By `@Expose({ name })` a client sends another name. */
const sentAs = (dto: Type, name: string): string => {
  const expose = transformers.findExposeMetadata(dto, name) as ExposeMetadata | undefined; // its types promise one
  return expose?.options.name ?? name;
};

function typeOf(dto: Type, name: string): DtoProperty['typeOf'] {
  const metadata = transformers.findTypeMetadata(dto, name) as TypeMetadata | undefined; // its types promise one
  if (!metadata) return undefined;
  const { discriminator } = metadata.options;
  return (value, parent) => {
    const kind = discriminator && (value as Record<string, unknown>)[discriminator.property];
    const subType = discriminator?.subTypes.find(({ name: other }) => other === kind)?.value;
    const type = subType ?? metadata.typeFunction({ newObject: {}, object: parent as never, property: name });
    return type as Type;
  };
}
