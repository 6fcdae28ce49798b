import type { Express } from 'express';

interface Layer {
  readonly route?: { readonly path: unknown };
  match(path: string): boolean;
}

/**
 * Puts the routes under `/v1` before those of the Swagger UI and others, which were registered before them: the
 * router tries one after the other. They stay behind all middleware that may be for them.
 */
export function interfaceFirst({ router }: Express): void {
  const layers = router.stack as unknown as Layer[]; // the types leave `match` out
  const own = layers.filter(isInterface);
  const others = layers.filter((layer) => !isInterface(layer));
  const behind =
    1 + others.findLastIndex((layer) => !layer.route && own.some(({ route }) => meets(layer, route)));
  layers.splice(0, layers.length, ...others.slice(0, behind), ...own, ...others.slice(behind));
}

const isInterface = ({ route }: Layer): boolean =>
  typeof route?.path === 'string' && route.path.startsWith('/v1');

/** Whether middleware is for a route, whose pattern is a path like any other to it. */
const meets = (middleware: Layer, route: Layer['route']): boolean => middleware.match(String(route?.path));
