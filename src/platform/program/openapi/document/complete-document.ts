import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { SECURITY_SCHEME } from '../../../http/core/operation-marks.js';
import { addExamples } from './examples.js';
import { addErrorResponses, COMMON_RESPONSES } from './error-responses.js';
import { addHeaders, addNotModified, headers } from './headers.js';
import { operationsOf, type PathOperation, relativePaths } from './paths.js';
import { type ParameterOrder, sortParameters } from './parameter-order.js';
import type { Route, Routes } from './routes.js';
import {
  type OperationObject,
  refuseUnknownProperties,
  type SchemasObject,
  type TagObject,
  withoutSingleAllOf,
} from './schemas.js';
import { shareParts } from './shared-parts.js';
import { addTexts } from './texts.js';
import { CALLBACKS, type Delivered, webhooks } from './webhooks.js';

/**
 * Documents the behaviour of the pipeline in every operation, so that controllers need not.
 * @param base address of the service, without `/v1`
 * @param order of the parameters of released operations
 * @param pings what the service sends to webhooks, beside events
 */
export function completeDocument(
  document: OpenAPIObject,
  routes: Routes,
  base: string,
  order: ParameterOrder,
  pings: readonly Delivered[],
): OpenAPIObject {
  const { openapi, info, servers, security, components } = document;
  const schemas = components?.schemas ?? {};
  const paths = relativePaths(document.paths, base);
  const tags = new Map<string, TagObject>();
  for (const one of operationsOf(paths)) {
    const { operation } = one;
    const route = routes.take(operation);
    if (route) complete(one, route, schemas);
    sortParameters(operation, one.path, order);
    if (route?.tag) tags.set(route.tag.name, route.tag);
    for (const name of operation.tags ?? []) if (!tags.has(name)) tags.set(name, { name });
  }
  const sent = { ...document.webhooks, ...webhooks(schemas, pings) };
  const whole = withoutSingleAllOf({
    openapi,
    info,
    servers,
    security,
    tags: [...tags.values(), ...(pings.length > 0 ? [CALLBACKS] : [])],
    paths,
    ...(Object.keys(sent).length > 0 ? { webhooks: sent } : {}),
    components: {
      ...components,
      schemas,
      headers: headers(base, routes.deprecation),
      responses: COMMON_RESPONSES,
    },
  });
  return shareParts(whole);
}

function complete({ method, operation }: PathOperation, route: Route, schemas: SchemasObject): void {
  operation.security &&= requirementsOf(operation.security);
  addErrorResponses(operation, route, schemas);
  addTexts(operation, route);
  if (method === 'get') addNotModified(operation);
  addHeaders(operation, route);
  if (route.pages)
    schemas[route.pages.name] = { type: 'array', items: { $ref: getSchemaPath(route.pages.item) } };
  addExamples(operation, schemas);
  const { content = {} } = (operation.requestBody ?? {}) as { readonly content?: Content };
  for (const { schema } of Object.values(content)) if (schema) refuseUnknownProperties(schema, schemas);
}

type Requirements = NonNullable<OperationObject['security']>;

/**
 * The empty requirement of `@Public()` means that no key is required; what a module requires instead stays.
 * On other routes `AccessGuard` requires the key, and what a module requires comes beside it.
 */
function requirementsOf(requirements: Requirements): Requirements {
  const named = requirements.filter((one) => Object.keys(one).length > 0);
  const others = named.filter((one) => !(SECURITY_SCHEME in one));
  if (named.length < requirements.length || others.length === 0) return named;
  const scopes = named.flatMap((one) => one[SECURITY_SCHEME] ?? []);
  return others.map((one) => ({ [SECURITY_SCHEME]: scopes, ...one }));
}

type Content = Readonly<Record<string, { readonly schema?: SchemasObject[string] }>>;
