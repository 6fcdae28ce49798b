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
export type TagObject = NonNullable<OpenAPIObject['tags']>[number];

type Json = Readonly<Record<string, unknown>>;

/**
 * Converts schemas from OpenAPI 3.0, which the library and its users still write, to JSON Schema 2020-12: `example` becomes
 * `examples`, an exclusive bound becomes a number, and an `allOf` with a single item is merged.
 */
export function upgradeSchemas(schemas: SchemasObject): SchemasObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, upgrade(schema)]));
}

/** Converts the schemas of an operation. */
export function upgradeOperation({ parameters = [], requestBody, responses }: OperationObject): void {
  const bodies = [requestBody, ...Object.values(responses)] as ({ readonly content?: object } | undefined)[];
  const contents = bodies.flatMap((body) => Object.values(body?.content ?? {}) as Place[]);
  const places = [...(parameters as Place[]), ...contents];
  for (const place of places) if (place.schema) place.schema = upgrade(place.schema);
}

interface Place {
  schema?: SchemaOrReference;
}

function upgrade(schema: SchemaOrReference): SchemaOrReference {
  if ('$ref' in schema) return schema;
  const { example, properties, exclusiveMinimum, exclusiveMaximum, ...others } = schema as Json;
  const parts = Object.entries(others).map(([name, part]) => [name, upgradePart(name, part)] as const);
  const { allOf, ...upgraded } = Object.fromEntries(parts) as SchemaObject;
  return {
    ...(allOf?.length === 1 ? allOf[0] : allOf && { allOf }),
    ...upgraded,
    ...bound('minimum', 'exclusiveMinimum', others.minimum, exclusiveMinimum),
    ...bound('maximum', 'exclusiveMaximum', others.maximum, exclusiveMaximum),
    ...(properties !== undefined && { properties: upgradeSchemas(properties as SchemasObject) }),
    ...(example !== undefined && { examples: [example] }),
  };
}

/** Converts the value of a keyword if it contains schemas. */
function upgradePart(name: string, part: unknown): unknown {
  if (/^(allOf|anyOf|oneOf)$/.test(name) && Array.isArray(part)) return part.map(upgrade);
  if (/^(items|not|additionalProperties)$/.test(name) && typeof part === 'object')
    return upgrade(part as SchemaObject);
  return part;
}

/** Converts an exclusive bound from a boolean to a number. */
function bound(inclusive: string, exclusive: string, value: unknown, isExclusive: unknown): Json {
  if (typeof isExclusive === 'number') return { [exclusive]: isExclusive };
  return isExclusive === true ? { [inclusive]: undefined, [exclusive]: value } : {};
}

/** Resolves a reference. Returns an empty schema for an unknown one. */
export function resolve(schema: SchemaOrReference, schemas: SchemasObject): SchemaObject {
  let found: SchemaOrReference | undefined = schema;
  for (let steps = 0; found && '$ref' in found; steps++) {
    found = steps > 10 ? undefined : schemas[found.$ref.split('/').at(-1) ?? ''];
  }
  return found ?? {};
}
