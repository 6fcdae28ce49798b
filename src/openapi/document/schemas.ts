import type { OpenAPIObject } from '@nestjs/swagger';

/** Parts of a document: the library exports only the type of the whole. */
export type PathItemObject = OpenAPIObject['paths'][string];
export type OperationObject = NonNullable<PathItemObject['get']>;
export type ResponseObject = Exclude<OperationObject['responses'][string], { $ref: string } | undefined>;
export type HeadersObject = NonNullable<ResponseObject['headers']>;
export type SchemasObject = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
export type SchemaOrReference = SchemasObject[string];
export type SchemaObject = Exclude<SchemaOrReference, { $ref: string }>;
export type ParameterObject = Exclude<NonNullable<OperationObject['parameters']>[number], { $ref: string }>;

/** Converts schemas of OpenAPI 3.0, which the library and its users still write, to JSON Schema 2020-12. */
export function upgradeSchemas(schemas: SchemasObject): SchemasObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, upgrade(schema)]));
}

/** The same for the schemas in an operation itself. */
export function upgradeOperation({ parameters = [], requestBody, responses }: OperationObject): void {
  const bodies = [requestBody, ...Object.values(responses)] as (object | undefined)[];
  const contents = bodies.flatMap((body) =>
    body && 'content' in body ? Object.values(body.content as Contents) : [],
  );
  for (const place of [...(parameters as Place[]), ...contents]) {
    if (place.schema) place.schema = upgrade(place.schema);
  }
}

interface Place {
  schema?: SchemaOrReference;
}
type Contents = Record<string, Place>;

/** Keywords of OpenAPI 3.0, which a handwritten schema may mix with those of 3.1. */
interface OldKeywords {
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean | number;
  readonly exclusiveMaximum?: boolean | number;
}

const LISTS = ['allOf', 'anyOf', 'oneOf'] as const;
const SINGLE = ['items', 'not', 'additionalProperties'] as const;

/** A reference may have siblings without an `allOf`, and `example` becomes `examples`. */
function upgrade(schema: SchemaOrReference): SchemaOrReference {
  if ('$ref' in schema) return schema;
  const { nullable, exclusiveMinimum, exclusiveMaximum, ...others }: OldKeywords & object = schema;
  const example: unknown = schema.example; // the library says `any`
  const { allOf, properties, ...rest } = withUpgradedParts(others);
  delete rest.example;
  return {
    ...(allOf?.length === 1 ? allOf[0] : allOf && { allOf }),
    ...rest,
    ...bound('minimum', 'exclusiveMinimum', rest.minimum, exclusiveMinimum),
    ...bound('maximum', 'exclusiveMaximum', rest.maximum, exclusiveMaximum),
    ...(properties && { properties }),
    ...(nullable === true && typeof rest.type === 'string' && { type: [rest.type, 'null'] }),
    ...(example !== undefined && { examples: [example] }),
  };
}

function withUpgradedParts(schema: SchemaObject): SchemaObject {
  const parts: Record<string, unknown> = {};
  if (schema.properties) parts.properties = upgradeSchemas(schema.properties);
  for (const key of LISTS) {
    const list = schema[key];
    if (Array.isArray(list)) parts[key] = list.map(upgrade);
  }
  for (const key of SINGLE) {
    const part = schema[key];
    if (typeof part === 'object') parts[key] = upgrade(part);
  }
  return { ...schema, ...parts };
}

/** An exclusive bound was a boolean, and is now a number. */
function bound(inclusive: string, exclusive: string, value: number | undefined, isExclusive: unknown) {
  if (typeof isExclusive === 'number') return { [exclusive]: isExclusive };
  return isExclusive === true ? { [inclusive]: undefined, [exclusive]: value } : {};
}

/** The schema of a reference; an empty schema for an unknown one. */
export function resolve(schema: SchemaOrReference, schemas: SchemasObject): SchemaObject {
  let found: SchemaOrReference | undefined = schema;
  for (let steps = 0; found && '$ref' in found; steps++) {
    found = steps > 10 ? undefined : schemas[found.$ref.split('/').at(-1) ?? ''];
  }
  return found ?? {};
}
