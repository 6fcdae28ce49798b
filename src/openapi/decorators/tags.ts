import type { OpenAPIObject } from '@nestjs/swagger';
import type { OperationObject } from './openapi-types.js';

type TagObject = NonNullable<OpenAPIObject['tags']>[number];
type Described = OperationObject & { 'x-tag-description'?: string };

/** The document's tags, with those that controllers describe by `@Tag()`: taken off their operations. */
export function takeTags(declared: readonly TagObject[], operations: readonly Described[]): TagObject[] {
  const tags = new Map(declared.map((tag) => [tag.name, tag]));
  for (const operation of operations) {
    const { tags: [name] = [], 'x-tag-description': description } = operation;
    delete operation['x-tag-description'];
    if (name !== undefined && description !== undefined) tags.set(name, { name, description });
  }
  return [...tags.values()];
}
