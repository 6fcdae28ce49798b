import { Logger } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { SECURITY_SCHEME } from '../decorators/operation-marks.js';
import { addErrorResponses, COMMON_RESPONSES } from './error-responses.js';
import { addCodeSamples } from './code-samples.js';
import { addExamples } from './examples.js';
import { addHeaders, headers } from './headers.js';
import {
  upgradeOperation,
  upgradeSchemas,
  type OperationObject,
  type ParameterObject,
  type SchemasObject,
} from './schemas.js';
import { operationsOf, type PathOperation, relativePaths } from './paths.js';
import { addUndescribedBody, closeRequestBody } from './request-body.js';
import type { Route, Routes } from './routes.js';
import { webhooks as sentEvents } from './webhooks.js';
import { addNotModified, completeSuccess } from './success-responses.js';
import { addTexts, collectTags } from './texts.js';

interface Additions {
  readonly routes: Routes;
  /** Address of the service, without `/v1`. */
  readonly base: string;
  readonly guides: readonly Tag[];
}
type Tag = NonNullable<OpenAPIObject['tags']>[number];

/** Adds to every operation what the pipeline does for every operation, so that no controller repeats it. */
export function completeDocument(
  document: OpenAPIObject,
  { routes, base, guides }: Additions,
): OpenAPIObject {
  const schemas = upgradeSchemas(document.components?.schemas ?? {});
  const paths = relativePaths(document.paths, base);
  const operations = operationsOf(paths, base);
  nameOperations(operations.map(({ operation }) => operation));
  for (const one of operations) completeOrLeave(one, routes.take(one.operation), { schemas, base });
  const ownTags = collectTags(
    document.tags ?? [],
    operations.map(({ operation }) => operation),
  );
  const { openapi, info, servers, security, webhooks } = document;
  const components = { ...document.components, schemas, headers: headers(base), responses: COMMON_RESPONSES };
  const tags = [...guides, ...ownTags];
  return {
    openapi,
    info,
    servers,
    security,
    tags,
    paths,
    webhooks: { ...webhooks, ...sentEvents(schemas) },
    components,
  };
}

interface DocumentContext {
  readonly schemas: SchemasObject;
  readonly base: string;
}

/** An operation that cannot be completed stays as Nest describes it. */
function completeOrLeave(
  one: PathOperation,
  route: Route | undefined,
  { schemas, base }: DocumentContext,
): void {
  const original = structuredClone(one.operation);
  try {
    if (route) complete(one, route, { schemas, base });
  } catch (error) {
    one.replace(original);
    const name = original.operationId ?? one.url;
    new Logger('OpenAPI').warn(`${name} is shown as Nest describes it: ${String(error)}`);
  }
}

function complete(one: PathOperation, route: Route, { schemas, base }: DocumentContext): void {
  const { path, url, method, operation } = one;
  addPathParameters(operation, path);
  useOurSecurity(operation);
  addUndescribedBody(operation, route);
  upgradeOperation(operation);
  completeSuccess(operation, route);
  addErrorResponses(operation, route);
  markPublic(operation);
  addTexts(operation, route, base);
  if (method === 'get') addNotModified(operation);
  addHeaders(operation, route);
  addExamples(operation, schemas, url);
  addCodeSamples(operation, method, url);
  closeRequestBody(operation, route, schemas);
}

type Parameter = NonNullable<OperationObject['parameters']>[number];

/** A handler need not take every parameter of its path; OpenAPI requires them all. They come first, in the order of the path. */
function addPathParameters(operation: OperationObject, path: string): void {
  const { parameters = [] } = operation;
  const names = Array.from(path.matchAll(/{([^}]+)}/g), ([, name = '']) => name);
  const inPath = names.map(
    (name): Parameter =>
      parameters.find((one) => isInPath(one) && one.name === name) ?? {
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      },
  );
  operation.parameters = [...inPath, ...parameters.filter((one) => !inPath.includes(one))];
}

const isInPath = (parameter: Parameter): parameter is ParameterObject =>
  'in' in parameter && parameter.in === 'path';

/** Removes the schemes of decorators such as `@ApiBearerAuth()`: the service has only one. */
function useOurSecurity(operation: OperationObject): void {
  const { security } = operation;
  if (!security) return;
  const isOurs = (requirement: object) => Object.keys(requirement).every((name) => name === SECURITY_SCHEME);
  const ours = security.filter(isOurs);
  if (ours.length > 0) operation.security = ours;
  else delete operation.security;
}

/** Makes every operation id unique and safe in a URL. */
function nameOperations(operations: readonly OperationObject[]): void {
  const taken = new Set<string>();
  for (const operation of operations) {
    const name = (operation.operationId ?? 'operation').replace(/_*[^\w-]+_*/g, '_').replace(/_+$/, '');
    let unique = name;
    for (let number = 2; taken.has(unique); number++) unique = `${name}_${number}`;
    taken.add(unique);
    operation.operationId = unique;
  }
}

/** `@Public()` adds an empty requirement. */
function markPublic(operation: OperationObject): void {
  if (operation.security?.some((requirement) => Object.keys(requirement).length === 0))
    operation.security = [];
}
