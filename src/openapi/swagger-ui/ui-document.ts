import type { OpenAPIObject } from '@nestjs/swagger';
import { StaticContent } from '../../http/static/static-content.js';
import { EVERY_RESPONSE_HEADER } from '../document/headers.js';
import type { PathItemObject } from '../document/schemas.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * The document for the Swagger UI, which takes 0.7 s to resolve the references of the whole one each time an operation
 * opens: without references, and without what the page does not show or shows once.
 */
export const uiDocument = (document: OpenAPIObject): StaticContent =>
  new StaticContent('application/json', JSON.stringify(shownDocument(document)));

function shownDocument(document: OpenAPIObject): object {
  const { openapi, info, servers, security, tags = [], paths, webhooks = {}, components = {} } = document;
  const inline = (part: unknown) => inlined(part, document);
  const shown = (items: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(items).map(([path, item]) => [path, shownItem(inline(item) as PathItemObject)]),
    );
  const headers = inline(components.headers ?? {}) as Readonly<Record<string, Json>>;
  return {
    openapi,
    info: { ...info, contact: undefined },
    servers,
    security,
    tags: tags.filter((tag) => !('x-traitTag' in tag)), // the guides are in the reference
    paths: shown(paths),
    webhooks: shown(webhooks),
    components: { securitySchemes: components.securitySchemes },
    'x-common-headers': EVERY_RESPONSE_HEADER.map((name) => ({
      name,
      description: headers[name]?.description,
    })),
  };
}

/** With each reference replaced by what it names, and a schema by its name as its title. A recursion ends there. */
function inlined(part: unknown, document: OpenAPIObject, above: readonly string[] = []): unknown {
  if (Array.isArray(part)) return part.map((one) => inlined(one, document, above));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref, ...own } = part as Json;
  const siblings = Object.fromEntries(
    Object.entries(own).map(([name, value]) => [name, inlined(value, document, above)]),
  );
  if (typeof $ref !== 'string') return siblings;
  const [, , kind = '', name = ''] = $ref.split('/');
  const { [kind as 'schemas']: named } = document.components ?? {};
  const target = above.includes($ref) ? {} : inlined(named?.[name], document, [...above, $ref]);
  return { ...(kind === 'schemas' && { title: name }), ...(target as Json), ...siblings };
}

function shownItem(item: PathItemObject): Json {
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => [
      method,
      isOperation(operation) ? shownOperation(operation) : operation,
    ]),
  );
}

const isOperation = (part: unknown): part is Operation =>
  typeof part === 'object' && part !== null && 'responses' in part;

interface Operation extends Json {
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Json>>;
}

interface Parameter extends Json {
  readonly description?: string;
  readonly schema?: {
    readonly minimum?: number;
    readonly maximum?: number;
    readonly examples?: readonly (string | number | readonly number[])[];
  };
}

/** The page has the marks as badges, so the summary has none. */
function shownOperation(operation: Operation): Json {
  const responses = Object.entries(operation.responses);
  return {
    ...operation,
    'x-codeSamples': undefined,
    ...(operation.parameters && { parameters: operation.parameters.map(shownParameter) }),
    summary: operation.summary?.replace(/ \((experimental|beta|until .*)\)$/, ''),
    responses: Object.fromEntries(
      responses.map(([status, response]) => [
        status,
        /^[45]|default/.test(status) ? shownError(response) : shownSuccess(response),
      ]),
    ),
  };
}

/**
 * With its range in words and its example where the page shows it. The page puts `example` into the form, which is right for
 * an id in a path, and `x-example` only beside it.
 */
function shownParameter({ description = '', schema = {}, ...parameter }: Parameter): Json {
  const { minimum, maximum, examples } = schema;
  const range = minimum !== undefined && maximum !== undefined ? ` From ${minimum} to ${maximum}.` : '';
  const [example] = examples ?? [];
  const name = parameter.in === 'path' ? 'example' : 'x-example';
  return {
    ...parameter,
    description: `${description}${range}`.trim(),
    schema,
    ...(example !== undefined && { [name]: example.toString() }),
  };
}

function shownSuccess({ headers = {}, ...response }: Json): Json {
  const own = Object.entries(headers as Json).filter(
    ([name]) => !(EVERY_RESPONSE_HEADER as readonly string[]).includes(name),
  );
  return { ...response, ...(own.length > 0 && { headers: Object.fromEntries(own) }) };
}

/** Every error has the same shape, so that its examples are enough. */
function shownError({ headers, content, ...response }: Json): Json {
  const { 'application/json': json } = (content ?? {}) as Readonly<Record<string, Json>>;
  return {
    ...shownSuccess({ headers, ...response }),
    ...(json?.examples !== undefined && { content: { 'application/json': { examples: json.examples } } }),
  };
}
