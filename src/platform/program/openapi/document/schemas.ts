import type { OpenAPIObject } from '@nestjs/swagger';

/** Types of parts of a document. The library exports only the type of the whole. */
export type PathItemObject = OpenAPIObject['paths'][string];
export type OperationObject = NonNullable<PathItemObject['get']>;
export type ResponseObject = Exclude<OperationObject['responses'][string], { $ref: string } | undefined>;
export type HeadersObject = NonNullable<ResponseObject['headers']>;
export type SchemasObject = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
export type SchemaOrReference = SchemasObject[string];
export type SchemaObject = Exclude<SchemaOrReference, { $ref: string }>;
export type ParameterObject = Exclude<NonNullable<OperationObject['parameters']>[number], { $ref: string }>;
export type SecuritySchemes = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>;
export type TagObject = NonNullable<OpenAPIObject['tags']>[number];

/**
 * Adds `additionalProperties: false` to the schema of a request body and to those within it, because unknown
 * properties are refused. A schema without properties, such as that of `@IsObject()`, stays open.
 */
export function refuseUnknownProperties(
  reference: SchemaOrReference,
  schemas: SchemasObject,
  seen = new Set<SchemaOrReference>(),
): void {
  const schema = '$ref' in reference ? schemas[reference.$ref.split('/').at(-1) ?? ''] : reference;
  if (!schema || seen.has(schema)) return;
  seen.add(schema);
  if ('$ref' in schema) {
    refuseUnknownProperties(schema, schemas, seen);
    return;
  }
  if (schema.additionalProperties !== undefined) return;
  const { properties, items, allOf = [], anyOf = [], oneOf = [] } = schema;
  if (properties) schema.additionalProperties = false;
  const parts = [...Object.values(properties ?? {}), ...(items ? [items] : []), ...anyOf, ...oneOf];
  if (allOf.length === 1) parts.push(...allOf); // several would refuse the properties of one another
  for (const part of parts) refuseUnknownProperties(part, schemas, seen);
}

/**
 * Merges each `allOf` of a single schema, which `@nestjs/swagger` writes around a reference that has a
 * description.
 */
export function withoutSingleAllOf<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(withoutSingleAllOf) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).map(
    ([name, value]) => [name, withoutSingleAllOf<unknown>(value)] as const,
  );
  const { allOf, ...others } = Object.fromEntries(entries) as { readonly allOf?: readonly object[] };
  if (allOf?.length === 1) return { ...allOf[0], ...others } as Part;
  return { ...others, ...(allOf && { allOf }) } as Part;
}
