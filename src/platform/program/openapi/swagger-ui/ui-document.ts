import type { OpenAPIObject } from '@nestjs/swagger';
import { EVERY_RESPONSE_HEADER } from '../document/headers.js';
import { BASE_PATH } from '../document/paths.js';
import { SECURITY_SCHEME } from '../../../http/core/operation-marks.js';
import { CALLBACKS } from '../document/webhooks.js';

import { TEXT_PATTERN } from '../../../http/validation/property.decorators.js';
import { service } from '../../../kernel/config/service.js';

type Json = Readonly<Record<string, unknown>>;

interface Operation extends Json {
  readonly description?: string;
  readonly parameters?: readonly Json[];
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response extends Json {
  readonly description?: string;
  readonly headers?: Json;
  readonly content?: Readonly<Record<string, { readonly examples?: object }>>;
}

/**
 * The document for the Swagger UI: without references, which the page would resolve each time an operation
 * opens, and with only the codes of errors, so that an operation fits on a phone.
 * @param path the path in `PUBLIC_URL`: the page calls the host that it was opened at
 * @param hasDemoKeys whether the service has made demo keys, as it does in its own PostgreSQL
 */
export function uiDocument(document: OpenAPIObject, path: string, hasDemoKeys: boolean): OpenAPIObject {
  const { servers = [], tags = [], components = {} } = document;
  const [own, ...others] = servers;
  const shown = (items: object = {}) =>
    mapValues(items as Readonly<Record<string, Json>>, (item) =>
      mapValues(item, (operation) => {
        const part = inlined(operation, document, { left: MAX_REFERENCES });
        return isOperation(part) ? shownOperation(part, path) : part;
      }),
    );
  return {
    ...document,
    info: { ...document.info, license: undefined },
    servers: [{ ...own, url: path + BASE_PATH }, ...others],
    tags: tags.filter(({ name }) => name !== CALLBACKS.name), // webhooks have a section of their own
    paths: shown(document.paths),
    webhooks: inOrderOf(Object.keys(document.paths), shown(document.webhooks)),
    components: { securitySchemes: withOrigin(components.securitySchemes, hasDemoKeys) },
  };
}

const mapValues = <From, To>(
  object: Readonly<Record<string, From>>,
  map: (value: From, name: string) => To,
) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]));

type Schemes = NonNullable<OpenAPIObject['components']>['securitySchemes'];

/** Says in the dialog where a key comes from. */
const withOrigin = (schemes: Schemes = {}, hasDemoKeys: boolean): Schemes =>
  mapValues(schemes, (scheme, name) =>
    name === SECURITY_SCHEME ? keyWithOrigin(scheme, hasDemoKeys) : scheme,
  );

const keyWithOrigin = <T extends object>(scheme: T, hasDemoKeys: boolean): T => ({
  ...scheme,
  description: [
    'description' in scheme ? scheme.description : '',
    '\n\nNo key yet? ',
    hasDemoKeys
      ? `\`npm start\` prints demo keys and stores them in \`.${service().prefix}/demo-keys.json\`.`
      : `Ask the operator of the service, who makes keys with \`${service().program} keys create\`.`,
  ].join(''),
});

/** Sorts events like the paths of their resources: `pet.created` comes where `/pets` does. */
function inOrderOf(paths: readonly string[], webhooks: Readonly<Record<string, Json>>): Record<string, Json> {
  const placeOf = (event: string) => {
    const [resource = ''] = event.split('.');
    const place = paths.findIndex((path) => path.includes(`/${resource.replace(/y$/, '')}`));
    return place < 0 ? paths.length : place;
  };
  return Object.fromEntries(
    Object.entries(webhooks).toSorted(([one], [other]) => placeOf(one) - placeOf(other)),
  );
}

/**
 * To schemas, of one operation. Schemas that all refer to one another would fill the page with every way
 * through them; other parts refer to no part of their kind.
 */
const MAX_REFERENCES = 1_000;

/**
 * Replaces each reference by its target, as long as there are some `left`. A schema gets its name as the
 * title. Stops at recursive references.
 */
function inlined(
  part: unknown,
  document: OpenAPIObject,
  references: { left: number },
  above: readonly string[] = [],
): unknown {
  if (Array.isArray(part)) return part.map((one) => inlined(one, document, references, above));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref, ...own } = part as Json;
  const siblings = inWords(mapValues(own, (value) => inlined(value, document, references, above)));
  if (typeof $ref !== 'string') return siblings;
  const [, , kind = '', name = ''] = $ref.split('/');
  const { [kind as 'schemas']: named } = document.components ?? {};
  const ends = kind === 'schemas' && (above.includes($ref) || --references.left < 0);
  const target = ends ? {} : inlined(named?.[name], document, references, [...above, $ref]);
  return { ...(kind === 'schemas' && { title: name }), ...(target as Json), ...siblings };
}

/** The page shows patterns; this one says the same in words. */
function inWords(schema: Json): Json {
  if (schema.pattern !== TEXT_PATTERN) return schema;
  const { description = '' } = schema;
  return {
    ...schema,
    pattern: undefined,
    description: `${String(description)} Not only white space.`.trim(),
  };
}

const isOperation = (part: unknown): part is Operation =>
  typeof part === 'object' && part !== null && 'responses' in part;

const NO_PANEL = '_Try it out_ is switched off for this operation.';

const shownOperation = ({ parameters, responses, ...operation }: Operation, path: string): Json => ({
  ...operation,
  ...(operation['x-hideTryItPanel'] === true && {
    description: `${operation.description ?? ''}\n\n${NO_PANEL}`,
  }),
  parameters: parameters?.map(shownParameter),
  responses: mapValues(responses, (response, status) => shownResponse(status, response, path)),
});

/**
 * Removes the example of an optional parameter, which the page would send, and a format of items that it does
 * not know.
 */
function shownParameter(parameter: Json): Json {
  if (parameter.required === true) return parameter;
  const { items, ...schema } = (parameter.schema ?? {}) as Json;
  return {
    ...parameter,
    example: undefined,
    schema: {
      ...schema,
      example: undefined,
      examples: undefined,
      ...(items !== undefined && { items: { ...(items as Json), format: undefined } }),
    },
  };
}

/** Removes the headers that every response has, and lists the codes of an error instead of its body. */
function shownResponse(status: string, response: Response, path: string): Json {
  const { description = '', headers = {}, content } = response;
  const common: readonly string[] = EVERY_RESPONSE_HEADER;
  const own = Object.entries(headers).filter(([name]) => !common.includes(name));
  if (!/^[45]/.test(status))
    return { ...response, headers: own.length > 0 ? Object.fromEntries(own) : undefined };
  const codes = Object.keys(content?.['application/json']?.examples ?? {});
  const links = codes.map((code) => `[\`${code}\`](${path}/docs/errors#${code})`);
  return { description: [description, links.join(', ')].join(' ').trim() };
}
