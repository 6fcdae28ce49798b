import type { OpenAPIObject } from '@nestjs/swagger';
import { EVERY_RESPONSE_HEADER } from '../document/headers.js';
import { CALLBACKS } from '../document/webhooks.js';
import type { PathItemObject } from '../document/schemas.js';

type Json = Readonly<Record<string, unknown>>;

interface Operation extends Json {
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
}

interface Parameter extends Json {
  readonly description?: string;
  readonly schema?: {
    readonly minimum?: number;
    readonly maximum?: number;
    readonly examples?: readonly (string | number | readonly number[])[];
  };
}

interface Response extends Json {
  readonly description?: string;
  readonly headers?: Json;
  readonly content?: Readonly<Record<string, { readonly examples?: object }>>;
}

/**
 * The document for the Swagger UI, without references and without parts that the page does not need. With the full document,
 * the page takes 0.7 s to resolve the references each time an operation is opened.
 * @param base address of the service, without `/v1`
 */
export function uiDocument(document: OpenAPIObject, base: string): Json {
  const { info, tags = [], paths, webhooks = {}, components = {} } = document;
  const shown = (items: object) =>
    Object.fromEntries(
      Object.entries(items).map(([path, item]) => [
        path,
        shownItem(inlined(item, document) as PathItemObject, base),
      ]),
    );
  return {
    ...document,
    info: {
      ...info,
      contact: undefined,
      description: `${info.description}\n\n${commonHeaders(components)}`,
    },
    tags: tags.filter((tag) => !('x-traitTag' in tag) && tag.name !== CALLBACKS.name), // the guides are in the reference
    paths: shown(paths),
    webhooks: shown(webhooks),
    components: { securitySchemes: components.securitySchemes },
  };
}

/** Describes the headers that every response has. */
function commonHeaders({ headers = {} }: NonNullable<OpenAPIObject['components']>): string {
  const rows = EVERY_RESPONSE_HEADER.map((name) => {
    const header = headers[name];
    return `| \`${name}\` | ${header && 'description' in header ? header.description : ''} |`;
  });
  return `<details><summary>Headers of every response</summary>\n\n| Name | Description |\n|---|---|\n${rows.join('\n')}\n\n</details>`;
}

/** Replaces each reference by its target. A schema gets its name as the title. Stops at recursive references. */
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

const shownItem = (item: PathItemObject, base: string): Json =>
  Object.fromEntries(
    Object.entries(item).map(([method, operation]) => [
      method,
      isOperation(operation) ? shownOperation(operation, base) : operation,
    ]),
  );

const isOperation = (part: unknown): part is Operation =>
  typeof part === 'object' && part !== null && 'responses' in part;

function shownOperation({ parameters, responses, ...operation }: Operation, base: string): Json {
  return {
    ...operation,
    'x-codeSamples': undefined,
    parameters: parameters?.map(shownParameter),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, shownResponse(status, response, base)]),
    ),
  };
}

/** Adds the range to the description and moves the example to `x-example`: the page would fill in and send an `example`. */
function shownParameter({ description = '', schema = {}, ...parameter }: Parameter): Json {
  const { minimum, maximum, examples: [example] = [] } = schema;
  const range = minimum !== undefined && maximum !== undefined ? ` From ${minimum} to ${maximum}.` : '';
  return { ...parameter, description: `${description}${range}`, schema, 'x-example': example?.toString() };
}

/**
 * Removes the headers that every response has. All errors have the same body, so only their codes, with links to the catalogue,
 * and their other headers remain.
 */
function shownResponse(
  status: string,
  { description = '', headers = {}, content, ...response }: Response,
  base: string,
): Json {
  const common: readonly string[] = EVERY_RESPONSE_HEADER;
  const own = Object.entries(headers).filter(([name]) => !common.includes(name));
  if (status.startsWith('2'))
    return { ...response, description, content, ...(own.length > 0 && { headers: Object.fromEntries(own) }) };
  const codes = Object.keys(content?.['application/json']?.examples ?? {});
  const links = codes.map((code) => `[\`${code}\`](${base}/docs/errors#${code})`);
  const others = own.map(([name]) => `\`${name}\``).filter((name) => !description.includes(name));
  return { ...response, description: `${description}${listed('', links)}${listed('Header: ', others)}` };
}

const listed = (title: string, parts: readonly string[]): string =>
  parts.length > 0 ? ` ${title}${parts.join(', ')}.` : '';
