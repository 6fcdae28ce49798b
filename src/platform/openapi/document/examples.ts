import { hash } from 'node:crypto';
import { IDEMPOTENCY_KEY } from '../../idempotency/idempotency-key.js';
import type { OperationObject, SchemaObject, SchemaOrReference, SchemasObject } from './schemas.js';

/** The library's type lacks `const` and `examples` of JSON Schema. */
type Schema = SchemaObject & { readonly const?: unknown; readonly examples?: readonly unknown[] };

type Media = Record<string, { schema?: SchemaOrReference; example?: unknown; examples?: unknown }>;

/**
 * Adds an example to the body of a request and of each successful response, made of the examples of the properties. Tools such as
 * Postman read only such examples, and would mix properties that exclude each other.
 */
export function addExamples(operation: OperationObject, schemas: SchemasObject): void {
  const { operationId = '', requestBody, responses, parameters = [] } = operation;
  for (const parameter of parameters) {
    if (!('name' in parameter) || parameter.name !== IDEMPOTENCY_KEY) continue;
    parameter.schema = { ...parameter.schema, example: uuidOf(operationId) }; // operations must not share one
  }
  const bodies = [
    requestBody,
    ...Object.entries(responses).flatMap(([status, response]) => (status.startsWith('2') ? [response] : [])),
  ] as readonly ({ readonly content?: Media } | undefined)[];
  for (const media of bodies.flatMap((body) => Object.values(body?.content ?? {}))) {
    if (media.schema && media.example === undefined && media.examples === undefined)
      media.example = exampleOf(media.schema, schemas);
  }
}

const uuidOf = (name: string): string =>
  hash('sha256', name).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-4$3-8$4-$5');

/** An optional property is in the example only if it has an example or a default of its own. */
function exampleOf(reference: SchemaOrReference, schemas: SchemasObject): unknown {
  const schema = targetOf(reference, schemas);
  const known = knownExample(schema);
  if (known !== undefined) return known;
  if (schema.allOf)
    return Object.fromEntries(
      schema.allOf.flatMap((part) => Object.entries(exampleOf(part, schemas) as object)),
    );
  const { properties, required = [], items } = schema;
  if (properties) {
    const shown = Object.entries(properties).filter(
      ([name, property]) =>
        required.includes(name) || knownExample(targetOf(property, schemas), true) !== undefined,
    );
    return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, schemas)]));
  }
  if (items) return [exampleOf(items, schemas)];
  return EXAMPLES[String(schema.type)];
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  string: 'text',
  integer: 1,
  number: 1,
  boolean: true,
  object: {},
};

/** @param isStated whether the first of several values is not an example */
function knownExample(schema: Schema, isStated = false): unknown {
  const { example, examples, ...others } = schema as Readonly<Record<string, unknown>>;
  const [first, values] = [examples, others.enum] as readonly (readonly unknown[] | undefined)[];
  const stated = example ?? first?.[0] ?? others.default ?? others.const;
  return stated ?? (isStated ? undefined : values?.[0]);
}

/** A schema with what its reference points at. The siblings of a reference count more. */
function targetOf(reference: SchemaOrReference, schemas: SchemasObject): Schema {
  const { $ref, ...own } = reference as { $ref?: string } & Schema;
  if ($ref === undefined) {
    const { allOf, ...others } = own;
    const [only, ...more] = allOf ?? [];
    return only && more.length === 0 ? { ...targetOf(only, schemas), ...others } : own;
  }
  const target = schemas[$ref.split('/').at(-1) ?? ''];
  return { ...(target && targetOf(target, schemas)), ...own };
}
