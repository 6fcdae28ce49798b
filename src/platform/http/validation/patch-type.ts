import type { Type } from '@nestjs/common';
import { DECORATORS, PartialType } from '@nestjs/swagger';

/**
 * The body of a `PATCH`: `class UpdatePetDto extends PatchType(CreatePetDto) {}`. Like `PartialType()`, but
 * absent members stay absent (RFC 7396): without the values with which an instance of the class begins, and
 * without `default` in the document. `null` is valid where the rules of the member say so.
 */
export function PatchType<Dto extends object>(dto: Type<Dto>): Type<Partial<Dto>> {
  const optional = PartialType(dto, { skipNullProperties: false });
  class PatchTypeClass {} // not a subclass: the constructor of `optional` copies what a new DTO has
  Object.defineProperty(PatchTypeClass, 'name', { value: `Patch${dto.name}` });
  Object.setPrototypeOf(PatchTypeClass, optional);
  Object.setPrototypeOf(PatchTypeClass.prototype, optional.prototype as object);
  const names = (Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, optional.prototype as object) ??
    []) as string[];
  for (const name of names.map((marked) => marked.slice(1))) {
    const document = Reflect.getMetadata(
      DECORATORS.API_MODEL_PROPERTIES,
      optional.prototype as object,
      name,
    ) as object;
    Reflect.defineMetadata(
      DECORATORS.API_MODEL_PROPERTIES,
      { ...document, default: undefined },
      PatchTypeClass.prototype,
      name,
    );
  }
  return PatchTypeClass;
}
