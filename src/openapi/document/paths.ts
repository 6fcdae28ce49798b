import type { OpenAPIObject } from '@nestjs/swagger';
import type { OperationObject, PathItemObject } from './schemas.js';

/** The base path of the servers: the version is not part of the paths. */
export const BASE_PATH = '/v1';

/** The methods of OpenAPI 3.1. `@All()` routes have more. */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

type Paths = OpenAPIObject['paths'];

/**
 * Paths relative to the server. A path outside the base path, such as that of another version, gets its own server.
 * @param base address of the service, without `/v1`
 */
export function relativePaths(paths: Paths, base: string): Paths {
  const relative: Paths = {};
  const outside: [path: string, item: PathItemObject][] = [];
  for (const [path, item] of Object.entries(paths)) {
    if (path.startsWith(`${BASE_PATH}/`)) relative[path.slice(BASE_PATH.length)] = onlyKnownMethods(item);
    else outside.push([path, onlyKnownMethods(item)]);
  }
  for (const [path, item] of outside) addOutside(relative, path, item, base);
  return relative;
}

/** Adds a path outside `/v1`. If the same path exists under `/v1`, its first segments move to the URL of the server. */
function addOutside(relative: Paths, path: string, item: PathItemObject, base: string): void {
  const segments = path.split('/').slice(1);
  for (let given = 0; given <= segments.length; given++) {
    const rest = `/${segments.slice(given).join('/')}`;
    if (rest in relative) continue;
    const url = [base, ...segments.slice(0, given)].join('/');
    relative[rest] = { servers: [{ url, description: `Outside of ${BASE_PATH}` }], ...item };
    return;
  }
}

function onlyKnownMethods(item: PathItemObject): PathItemObject {
  return Object.fromEntries(METHODS.flatMap((method) => (item[method] ? [[method, item[method]]] : [])));
}

export interface PathOperation {
  readonly path: string;
  /** The absolute URL, for examples. */
  readonly url: string;
  readonly method: string;
  readonly operation: OperationObject;
}

export function operationsOf(paths: Paths, base: string): PathOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      const url = `${item.servers?.[0]?.url ?? base + BASE_PATH}${path}`;
      return operation ? [{ path, url, method, operation }] : [];
    }),
  );
}
