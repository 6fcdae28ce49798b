import { createRequire } from 'node:module';

/** The version of the package, as `package.json` states it. */
export const { version: VERSION } = createRequire(import.meta.url)('#package.json') as { version: string };

/**
 * What the service is called. Another shop changes these texts, and `petstore` in `package.json` if its program gets another
 * name too.
 */
export const SERVICE = {
  /** In documents and on pages. */
  title: 'Pet Store',
  /** In a sentence. */
  noun: 'pet store',
  /** The introduction of the OpenAPI document. */
  description: 'The inventory of a pet store: list pets, add one, see what was ordered.',
  /** A request for a newcomer, by the printed key. */
  firstRequest: '/v1/pets?limit=3',
  /**
   * The start of API keys, of the names of metrics and of keys in Redis, and the name in `User-Agent`, in traces and in
   * `pg_stat_activity`. A running shop does not change it: keys would be invalid, and counts would begin anew.
   */
  prefix: 'petstore',
} as const;
