import { hash } from 'node:crypto';
import { IDEMPOTENCY_KEY } from '../../../writes/idempotency/idempotency-key.js';
import type { OperationObject, SchemaObject, SchemaOrReference, SchemasObject } from './schemas.js';

/** The library's type lacks these members of JSON Schema. */
type Schema = SchemaObject & {
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly contentMediaType?: string;
};

type Media = Record<string, { schema?: SchemaOrReference; example?: unknown; examples?: unknown }>;

/**
 * Adds an example to the body of a request and of each successful response, made of the examples of the
 * properties. Tools such as Postman read only such examples, and would mix properties that exclude each
 * other.
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
  for (const [type, media] of bodies.flatMap((body) => Object.entries(body?.content ?? {}))) {
    if (media.schema && media.example === undefined && media.examples === undefined && OF_TEXT.test(type))
      media.example = exampleOf(media.schema, schemas);
  }
}

/** Of others, such as an image, no example can be made. */
const OF_TEXT = /json|form|^text\//;

const uuidOf = (name: string): string =>
  hash('sha256', name).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-4$3-8$4-$5');

/** A schema of legal OpenAPI may refer to itself, or grow with its width to the power of its depth. */
const MAX_SCHEMAS = 1_000;

/** An example of a schema; undefined if none can be made. */
export const exampleOf = (reference: SchemaOrReference, schemas: SchemasObject): unknown =>
  new Example(schemas).of(reference);

class Example {
  private left = MAX_SCHEMAS;

  constructor(private readonly schemas: SchemasObject) {}

  /** @param above the names of the schemas that this one is in */
  of(reference: SchemaOrReference, above: readonly string[] = []): unknown {
    const { schema, names } = targetOf(reference, this.schemas);
    const known = knownExample(schema);
    if (known !== undefined) return known;
    if (--this.left < 0 || names.some((name) => above.includes(name)))
      return allowsNull(schema) ? null : undefined;
    const inside = [...above, ...names];
    const { allOf, oneOf, anyOf, properties, items, ...others } = schema;
    if (allOf) return this.ofAll([...allOf, { ...others, oneOf, anyOf, properties, items }], inside);
    if (properties) return this.ofObject(properties, schema.required, inside);
    if (items) return [this.of(items, inside)].filter((item) => item !== undefined);
    for (const part of [...(oneOf ?? []), ...(anyOf ?? [])]) {
      const example = this.of(part, inside);
      if (example !== undefined) return example;
    }
    const { format = '', contentMediaType } = schema;
    if (format === 'binary' || contentMediaType !== undefined) return undefined; // a file
    return FORMATS[format] ?? EXAMPLES[typeOf(schema) ?? ''];
  }

  /** An optional property is in the example only if it has an example or a default of its own. */
  private ofObject(
    properties: SchemasObject,
    required: readonly string[] = [],
    above: readonly string[],
  ): object | undefined {
    const shown: [string, unknown][] = [];
    for (const [name, property] of Object.entries(properties)) {
      const isRequired = required.includes(name);
      if (!isRequired && knownExample(targetOf(property, this.schemas).schema, true) === undefined) continue;
      const example = this.of(property, above);
      if (example !== undefined) shown.push([name, example]);
      else if (isRequired) return undefined;
    }
    return Object.fromEntries(shown);
  }

  /** Parts that say nothing of the value, such as a description, have no example and need none. */
  private ofAll(parts: readonly SchemaOrReference[], above: readonly string[]): unknown {
    const examples: unknown[] = [];
    for (const part of parts) {
      const example = this.of(part, above);
      if (example !== undefined) examples.push(example);
      else if (hasValue(targetOf(part, this.schemas).schema)) return undefined;
    }
    const objects = examples.filter((example) => typeof example === 'object' && !Array.isArray(example));
    return objects.length > 0 ? (Object.assign({}, ...objects) as object) : examples[0];
  }
}

const typeOf = ({ type }: Schema): string | undefined => [type ?? []].flat().find((one) => one !== 'null');

const allowsNull = ({ type }: Schema): boolean => Array.isArray(type) && type.includes('null');

const hasValue = ({ type, allOf, oneOf, anyOf, properties, items }: Schema): boolean =>
  [type, allOf, oneOf, anyOf, properties, items].some((part) => part !== undefined);

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-11-20T09:30:00.000Z',
  date: '2026-11-20',
  email: 'ann@example.com',
  uuid: '6f1c2c1e-8d7a-4b62-9d3c-0a4f5f0a1b2c',
  uri: 'https://example.com',
};

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

/**
 * A schema with what its reference points at, and the names on the way. The siblings of a reference count
 * more.
 */
function targetOf(
  reference: SchemaOrReference,
  schemas: SchemasObject,
  names: readonly string[] = [],
): { schema: Schema; names: readonly string[] } {
  const { $ref, ...own } = reference as { $ref?: string } & Schema;
  const { allOf, ...others } = own;
  const name = $ref?.split('/').at(-1) ?? '';
  const [next, ...more] = $ref === undefined ? (allOf ?? []) : [schemas[name]];
  const path = $ref === undefined ? names : [...names, name];
  if (!next || more.length > 0 || names.includes(name)) return { schema: own, names: path };
  const target = targetOf(next, schemas, path);
  return { ...target, schema: { ...target.schema, ...($ref === undefined ? others : own) } };
}
