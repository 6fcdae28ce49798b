import type { OpenAPIObject } from '@nestjs/swagger';
import { addCommonRefusals, COMMON_RESPONSES } from './common-responses.js';
import { addExamples } from '../decorators/examples.js';
import { headers } from './headers.js';
import { addNotModified } from './not-modified.js';
import { addMarks } from './marks.js';
import type { OperationObject, PathItemObject } from '../decorators/openapi-types.js';
import { markPublic } from './public-operation.js';
import { BASE_PATH, relativePaths } from './relative-paths.js';
import { addHeaders } from './response-headers.js';
import { closeRequestBody, modernParameters, modernSchemas } from './schemas.js';
import { takeTags } from '../decorators/tags.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Adds to every operation what the pipeline does for every operation, so that no controller repeats it.
 * @param base address of the service, without `/v1`
 */
export function completeDocument(document: OpenAPIObject, base: string): OpenAPIObject {
  const schemas = modernSchemas(document.components?.schemas ?? {});
  const paths = relativePaths(document.paths);
  for (const { path, method, operation } of operations(paths)) {
    markPublic(operation);
    modernParameters(operation);
    addCommonRefusals(operation);
    addMarks(operation);
    if (method === 'get') addNotModified(operation);
    addHeaders(operation);
    addExamples(operation, schemas, `${base}${BASE_PATH}${path}`);
    closeRequestBody(operation, schemas);
  }
  const components = {
    ...document.components,
    schemas,
    headers: headers(base),
    responses: COMMON_RESPONSES,
  };
  const { openapi, info, servers, security } = document;
  const tags = takeTags(
    document.tags ?? [],
    operations(paths).map(({ operation }) => operation),
  );
  return { openapi, info, servers, security, tags, paths, components };
}

interface Operation {
  readonly path: string;
  readonly method: (typeof METHODS)[number];
  readonly operation: OperationObject;
}

function operations(paths: OpenAPIObject['paths']): Operation[] {
  return Object.entries(paths).flatMap(([path, item]: [string, PathItemObject]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method, operation }] : [];
    }),
  );
}
