import type { OperationObject } from './schemas.js';

/** The names of the parameters of operations in their released order, by `operationId`. */
export type ParameterOrder = Readonly<Record<string, readonly string[]>>;

/** The token of the {@link ParameterOrder}. */
export const PARAMETER_ORDER = Symbol('PARAMETER_ORDER');

/**
 * Puts path parameters first, in the order of the path; then those that are released, in their order; then
 * new ones.
 *
 * Many generators make positional arguments of parameters: in another order, a call that compiles would send
 * its values under other names. `@nestjs/swagger` cannot keep an order, because it lists the members of a
 * query before headers.
 */
export function sortParameters(
  { parameters, operationId = '' }: OperationObject,
  path: string,
  released: ParameterOrder,
): void {
  const order = released[operationId] ?? [];
  const placeOf = (one: object): number => {
    if (!('in' in one && 'name' in one)) return Infinity;
    const name = String(one.name);
    if (one.in === 'path') return path.indexOf(`{${name}}`);
    const place = order.indexOf(name);
    return path.length + (place < 0 ? order.length : place);
  };
  parameters?.sort((one, other) => placeOf(one) - placeOf(other));
}
