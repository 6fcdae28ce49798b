import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';

const known = new WeakMap<object, ReadonlySet<string>>();

/** The members a DTO names: those with a rule, its own and inherited ones. */
export function knownMembers(dto: Type): ReadonlySet<string> {
  let members = known.get(dto);
  if (!members) known.set(dto, (members = read(dto)));
  return members;
}

function read(dto: Type): ReadonlySet<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
}
