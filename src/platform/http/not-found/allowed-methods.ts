import type { Application } from 'express';
import { METHODS } from 'node:http';

interface Layer {
  match(path: string): boolean;
  route?: { path: string; methods: Record<string, boolean> };
}

/** The methods of a path, or of all paths, for the `Allow` header; empty for an unknown path. */
export function allowedMethods(app: Application, path?: string): string[] {
  const methods = new Set<string>();
  for (const { route, match } of routes(app)) {
    if (path === undefined || match(path))
      Object.keys(route.methods).forEach((method) => methods.add(method.toUpperCase()));
  }
  if (methods.size === 0) return [];
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods.add('OPTIONS')].sort();
}

/** The route of a PATCH, such as `/v1/pets/:petId`. */
export const patchRoute = (app: Application, path: string): string | undefined =>
  routes(app).find(({ route, match }) => route.methods.patch === true && match(path))?.route.path;

/** All routes except the catch-all, which has every method. */
function routes(app: Application) {
  const stack = (app.router as unknown as { stack: Layer[] }).stack; // the types do not declare it
  return stack.flatMap((layer) =>
    layer.route && Object.keys(layer.route.methods).length < METHODS.length
      ? [{ route: layer.route, match: (path: string) => layer.match(path) }]
      : [],
  );
}
