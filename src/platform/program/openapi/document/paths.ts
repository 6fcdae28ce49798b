import type { OpenAPIObject } from '@nestjs/swagger';
import type { OperationObject } from './schemas.js';

/** The base path of the servers: the version is not part of the paths. */
export const BASE_PATH = '/v1';

/** The methods of OpenAPI 3.1, in the order in which an item shows them. `@All()` routes have more. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options', 'head', 'trace'] as const;

type Paths = OpenAPIObject['paths'];

/**
 * Paths relative to the server. A path outside `/v1`, such as that of another version, gets its own server.
 * @param base address of the service, without `/v1`
 */
export function relativePaths(paths: Paths, base: string): Paths {
  const relative: Paths = {};
  for (const [path, item] of Object.entries(paths)) {
    const known = Object.fromEntries(
      METHODS.flatMap((method) => (item[method] ? [[method, item[method]]] : [])),
    );
    if (path.startsWith(`${BASE_PATH}/`)) relative[path.slice(BASE_PATH.length)] = known;
    else relative[path] ??= { servers: [{ url: base, description: `Outside of ${BASE_PATH}` }], ...known };
  }
  return relative;
}

export interface PathOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationObject;
}

export const operationsOf = (paths: Paths): PathOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method, operation }] : [];
    }),
  );
