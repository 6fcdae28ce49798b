import type { Express } from 'express';

interface Layer {
  readonly route?: { readonly path: unknown };
}

/**
 * Puts the routes under `/v1` before those of the Swagger UI, which Nest has registered before them: the router tries
 * one after the other. As no path belongs to both, nothing else changes.
 */
export function interfaceFirst({ router }: Express): void {
  const layers = router.stack as Layer[];
  const first = layers.findIndex(({ route }) => route !== undefined);
  const middleware = layers.slice(0, first);
  const others = layers.slice(first);
  layers.splice(0, layers.length, ...middleware, ...others.filter(isInterface), ...others.filter(isOther));
}

const isInterface = ({ route }: Layer): boolean =>
  typeof route?.path === 'string' && route.path.startsWith('/v1');
const isOther = (layer: Layer): boolean => !isInterface(layer);
