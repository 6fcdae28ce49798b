import { createRequire } from 'node:module';

/** The version in `package.json`. */
export const { version: VERSION } = createRequire(import.meta.url)('#package.json') as { version: string };

/**
 * The names of the service in its documents, pages and headers. The command-line program is named `petstore` wherever it is mentioned.
 */
export const SERVICE = {
  /** The title of documents and pages. */
  title: 'Pet Store',
  /** The name within a sentence. */
  noun: 'pet store',
  /** The introduction of the OpenAPI document. */
  description: 'The inventory of a pet store: list pets, add one, see what was ordered.',
  /** The request that the welcome text suggests. */
  firstRequest: '/v1/pets?limit=3',
  /**
   * The prefix of API keys, metrics and Redis keys, and the name in `User-Agent`, traces and `pg_stat_activity`. Do not change
   * it in production: it invalidates all API keys and resets the counts.
   */
  prefix: 'petstore',
} as const;
