import type {
  OperationObject,
  SchemaObject,
  SchemaOrReference,
  SchemasObject,
} from '../decorators/openapi-types.js';

/** Schemas as JSON Schema 2020-12 writes them; the library still writes some of OpenAPI 3.0. */
export function modernSchemas(schemas: SchemasObject): SchemasObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, modern(schema)]));
}

export function modernParameters({ parameters = [] }: OperationObject): void {
  for (const parameter of parameters) {
    if ('schema' in parameter && parameter.schema) parameter.schema = modern(parameter.schema);
  }
}

/** A reference may have siblings now, without an `allOf` around it, and `example` has become `examples`. */
function modern(schema: SchemaOrReference): SchemaOrReference {
  if ('$ref' in schema) return schema;
  const { allOf = [], properties, ...rest } = schema;
  const example = rest.example as unknown; // the library says `any`
  delete rest.example;
  return {
    ...(allOf.length === 1 ? allOf[0] : allOf.length > 1 && { allOf }),
    ...rest,
    ...(properties && { properties: modernSchemas(properties) }),
    ...(example !== undefined && { examples: [example] }),
  };
}

/** What a reference to a component points to. */
export function resolve(schema: SchemaOrReference, schemas: SchemasObject): SchemaObject {
  if (!('$ref' in schema)) return schema;
  const target = schemas[schema.$ref.split('/').at(-1) ?? ''];
  return target ? resolve(target, schemas) : {};
}

/** What a body's schema does not name is refused, and the document says so. */
export function closeRequestBody({ requestBody }: OperationObject, schemas: SchemasObject): void {
  const schema =
    requestBody && 'content' in requestBody ? requestBody.content['application/json']?.schema : undefined;
  if (schema) resolve(schema, schemas).additionalProperties = false;
}
