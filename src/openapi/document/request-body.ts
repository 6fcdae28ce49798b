import type { Type } from '@nestjs/common';
import { JSON_TYPE } from '../../http/route/produced-types.js';
import { dtoSchema } from '../../http/validation/dto-schema.js';
import { type OperationObject, resolve, type SchemaOrReference, type SchemasObject } from './schemas.js';
import type { Route } from './routes.js';

/** Adds a request body if the handler has a `@Body()` parameter that `@nestjs/swagger` does not describe. */
export function addUndescribedBody(operation: OperationObject, route: Route): void {
  if (!route.body || operation.requestBody) return;
  operation.requestBody = { content: { [JSON_TYPE]: { schema: {} } } };
}

/** The media types of an operation's body. */
export const mediaTypes = ({ requestBody }: OperationObject): string[] =>
  requestBody && 'content' in requestBody ? Object.keys(requestBody.content) : [];

/** Whether the operation accepts a JSON body. */
export const takesJson = (operation: OperationObject): boolean => mediaTypes(operation).includes(JSON_TYPE);

/** Adds `additionalProperties: false` to the schemas of DTOs, including nested ones: unknown properties are invalid. */
export function closeRequestBody(
  { requestBody }: OperationObject,
  { body }: Route,
  schemas: SchemasObject,
): void {
  const content = requestBody && 'content' in requestBody ? requestBody.content[JSON_TYPE] : undefined;
  if (content?.schema) close(content.schema, body?.type, schemas);
}

/** Closes a schema if it describes all properties of the DTO. */
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
