import type { OperationObject, ResponseObject, SchemaOrReference, SchemasObject } from './openapi-types.js';
import { resolve } from '../document/schemas.js';

/** Opaque to its reader; this one starts after the twentieth animal. */
const CURSOR = 'AAAAAAAAABThv7qlTs2QPg';

/** An example for each body and page link of an operation, from the examples of the DTOs' own members. */
export function addExamples(operation: OperationObject, schemas: SchemasObject, url: string): void {
  const { requestBody, responses } = operation;
  const answers = Object.values(responses) as (ResponseObject | { $ref: string })[];
  for (const { content } of [requestBody, ...answers].filter(hasContent)) {
    const json = content['application/json'];
    if (json?.schema && !json.examples) json.example = exampleOf(json.schema, schemas);
  }
  for (const answer of answers) {
    const link = 'headers' in answer ? answer.headers?.Link : undefined;
    if (link && 'schema' in link) link.example = `<${url}?limit=20&cursor=${CURSOR}>; rel="next"`;
  }
}

type WithContent = Required<Pick<ResponseObject, 'content'>>;
const hasContent = (part: object | undefined): part is WithContent => part !== undefined && 'content' in part;

function exampleOf(reference: SchemaOrReference, schemas: SchemasObject): unknown {
  const schema = resolve(reference, schemas);
  if (schema.items) return [exampleOf(schema.items, schemas)];
  if (!schema.properties) return (schema.examples as unknown[] | undefined)?.[0] ?? schema.enum?.[0];
  return Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => [name, exampleOf(property, schemas)]),
  );
}
