import {
  type OperationObject,
  resolve,
  type SchemaObject,
  type SchemaOrReference,
  type SchemasObject,
} from './schemas.js';

/** A real cursor, which starts after the twentieth pet. */
const CURSOR = 'AAAAAAAAABThv7qlTs2QPg';

interface Body {
  readonly content?: Record<string, { schema?: SchemaOrReference; example?: unknown; examples?: unknown }>;
  readonly headers?: Record<string, { schema?: unknown; example?: unknown }>;
}

/** Adds examples for the JSON bodies and page links of an operation, from the examples of the DTO properties. */
export function addExamples(operation: OperationObject, schemas: SchemasObject, url: string): void {
  const { requestBody, responses } = operation;
  const bodies = [requestBody, ...Object.values(responses)] as (Body | undefined)[];
  for (const { content = {}, headers } of bodies.filter((body) => body !== undefined)) {
    const json = content['application/json'];
    if (json?.schema && json.example === undefined && !json.examples) {
      const example = exampleOf(json.schema, schemas);
      if (example !== undefined) json.example = example;
    }
    const link = headers?.Link;
    if (link?.schema) link.example ??= `<${url}?limit=20&cursor=${CURSOR}>; rel="next"`;
  }
}

const BY_TYPE: Readonly<Record<string, unknown>> = {
  string: 'text',
  integer: 1,
  number: 1,
  boolean: true,
  null: null,
};
const BY_FORMAT: Readonly<Record<string, unknown>> = {
  'date-time': '2026-11-20T09:30:00.000Z',
  date: '2026-11-20',
  uuid: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  email: 'rex@example.com',
  uri: 'https://example.com/rex',
};

/** Keywords that the library types as `any`. */
interface Given {
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
}

/** Omits optional texts without an example: an invented one may contradict the other properties. */
function shownProperties(schema: SchemaObject, schemas: SchemasObject): [string, SchemaOrReference][] {
  const all = Object.entries(schema.properties ?? {});
  const shown = all.filter(([name, property]) => {
    const { examples, default: byDefault, type } = { ...resolve(property, schemas), ...property } as Given;
    return (
      type !== 'string' || schema.required?.includes(name) === true || (examples ?? byDefault) !== undefined
    );
  });
  return shown.length > 0 ? shown : all;
}

/** @param above the schemas that contain this one, to stop at a recursive schema */
function exampleOf(
  reference: SchemaOrReference,
  schemas: SchemasObject,
  above: readonly object[] = [],
): unknown {
  const schema = resolve(reference, schemas);
  if (above.includes(schema)) return undefined;
  const inner = (part: SchemaOrReference) => exampleOf(part, schemas, [...above, schema]);
  const { examples, default: byDefault, enum: values } = schema as Given;
  const given = examples?.[0] ?? byDefault ?? values?.[0];
  if (given !== undefined) return given;
  if (schema.items) return [inner(schema.items)].filter((item) => item !== undefined);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives?.[0]) return inner(alternatives[0]);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(inner)) as object;
  if (schema.properties) {
    const entries = shownProperties(schema, schemas).map(
      ([name, property]) => [name, inner(property)] as const,
    );
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }
  const type = [schema.type].flat()[0];
  return type === 'object' ? {} : (BY_FORMAT[schema.format ?? ''] ?? BY_TYPE[type ?? '']);
}
