import type { Type } from '@nestjs/common';
import { dtoSchema } from '../../http/validation/dto-schema.js';
import type { OperationObject, SchemaOrReference, SchemasObject } from './openapi-types.js';
import type { Route } from './routes.js';
import { resolve } from './schemas.js';

const JSON_TYPE = 'application/json';

/** A handler may take a body that no decorator describes, or a part of one. */
export function addUndescribedBody(operation: OperationObject, route: Route): void {
  if (!route.body || operation.requestBody) return;
  operation.requestBody = { content: { [JSON_TYPE]: { schema: {} } } };
}

/** Whether the operation takes a JSON body. */
export function takesJson({ requestBody }: OperationObject): boolean {
  return requestBody !== undefined && 'content' in requestBody && JSON_TYPE in requestBody.content;
}

/** What a DTO does not name is refused, and the schema of the body says so: of the DTOs inside of it too. */
export function closeRequestBody(
  { requestBody }: OperationObject,
  { body }: Route,
  schemas: SchemasObject,
): void {
  const content = requestBody && 'content' in requestBody ? requestBody.content[JSON_TYPE] : undefined;
  if (content?.schema) close(content.schema, body?.type, schemas);
}

/** Only where the schema names all that the DTO takes: of others nothing is known. */
function close(reference: SchemaOrReference, type: unknown, schemas: SchemasObject): void {
  const schema = resolve(reference, schemas);
  const dto = dtoSchema(type);
  const { properties } = schema;
  if (!dto || !properties || schema.additionalProperties !== undefined) return;
  if (![...dto.keys()].every((name) => name in properties)) return;
  schema.additionalProperties = false;
  for (const [name, { typeOf }] of dto) {
    const property = properties[name];
    if (typeOf && property) closeNested(property, typeOf({}, {}), schemas);
  }
}

function closeNested(reference: SchemaOrReference, type: Type, schemas: SchemasObject): void {
  const { items, anyOf } = resolve(reference, schemas);
  for (const part of items ? [items] : (anyOf ?? [reference])) close(part, type, schemas);
}
