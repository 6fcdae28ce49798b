import type { Application, Request } from 'express';
import { METHODS } from 'node:http';

interface Layer {
  match(path: string): boolean;
  route?: { path: string; methods: Record<string, boolean>; stack: readonly { readonly handle: object }[] };
}

const middleware = new WeakSet<object>();

/**
 * Marks a function that Nest gives Express as a route, if a module applies it to one method only. A path
 * does not exist because of it.
 */
export const markMiddleware = (handle: object): void => void middleware.add(handle);

/**
 * The methods of a path for the `Allow` header; empty for an unknown path. Empty, too, if the path has the
 * request's own method: that route is for another host, or has passed the request on.
 */
export function allowedMethods({ app, method }: Request, path: string): string[] {
  const methods = methodsOf(app, (match) => match(path));
  return methods.has(method) ? [] : allowed(methods);
}

/** The methods of all paths. */
export const allMethods = (app: Application): string[] => allowed(methodsOf(app, () => true));

function methodsOf(app: Application, isMeant: (match: Layer['match']) => boolean): Set<string> {
  const methods = new Set<string>();
  for (const { route, match } of routes(app)) {
    if (isMeant(match)) Object.keys(route.methods).forEach((method) => methods.add(method.toUpperCase()));
  }
  return methods.has('GET') ? methods.add('HEAD') : methods;
}

const allowed = (methods: Set<string>): string[] =>
  methods.size === 0 ? [] : [...methods.add('OPTIONS')].sort();

/** The route of a PATCH, such as `/v1/pets/:petId`. */
export const patchRoute = (app: Application, path: string): string | undefined =>
  routes(app).find(({ route, match }) => route.methods.patch === true && match(path))?.route.path;

/** All routes except middleware, and the catch-all, which has every method. */
function routes(app: Application) {
  const stack = (app.router as unknown as { stack: Layer[] }).stack; // the types do not declare it
  return stack.flatMap((layer) =>
    layer.route &&
    Object.keys(layer.route.methods).length < METHODS.length &&
    !layer.route.stack.every(({ handle }) => middleware.has(handle))
      ? [{ route: layer.route, match: (path: string) => layer.match(path) }]
      : [],
  );
}
