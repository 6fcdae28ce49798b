import type { OpenAPIObject } from '@nestjs/swagger';

/** What the addresses of the servers end in: the version is part of the base address, not of the paths. */
export const BASE_PATH = '/v1';

/** Paths as a client appends them to a server's address; what lives outside the base path is no part of the interface. */
export function relativePaths(paths: OpenAPIObject['paths']): OpenAPIObject['paths'] {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, item]) =>
      path.startsWith(`${BASE_PATH}/`) ? [[path.slice(BASE_PATH.length), item]] : [],
    ),
  );
}
