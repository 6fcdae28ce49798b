import type { OpenAPIObject } from '@nestjs/swagger';
import type { OperationObject } from './openapi-types.js';
import { TAG_DESCRIPTION } from './tag.decorator.js';

type TagObject = NonNullable<OpenAPIObject['tags']>[number];
type Described = OperationObject & { [TAG_DESCRIPTION]?: string };

/** The document's tags, with those that controllers describe by `@Tag()`: taken off their operations. */
export function takeTags(declared: readonly TagObject[], operations: readonly Described[]): TagObject[] {
  const tags = new Map(declared.map((tag) => [tag.name, tag]));
  for (const operation of operations) {
    const { tags: [name] = [], [TAG_DESCRIPTION]: description } = operation;
    delete operation[TAG_DESCRIPTION];
    if (name !== undefined && description !== undefined) tags.set(name, { name, description });
  }
  return [...tags.values()];
}
