import { defaultMetadataStorage as transformers } from 'class-transformer/cjs/storage.js';

const partial = new WeakSet<object>();

/** Notes that a body is that of a PATCH: a pipe sees the value and not its request. */
export function markPartial(body: unknown): void {
  if (isObject(body)) partial.add(body);
}

export const isPartial = (body: object): boolean => partial.has(body);

/**
 * Takes what the body does not name out of an instance that was made of it: what a PATCH leaves out stays as it is
 * (RFC 7396), though `PartialType()` and its like hand the defaults of their class on.
 */
export function withoutDefaults(instance: object, body: object): object {
  for (const [name, value] of Object.entries(instance)) {
    const given = (body as Record<string, unknown>)[name];
    if (given === undefined && !isExposed(instance, name)) Reflect.deleteProperty(instance, name);
    else if (isObject(given) && isObject(value) && !Array.isArray(given)) withoutDefaults(value, given);
  }
  return instance;
}

/** Such a property may come from one of another name. */
const isExposed = (instance: object, name: string): boolean =>
  Boolean(transformers.findExposeMetadata(instance.constructor, name));

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
