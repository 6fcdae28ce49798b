import { createRequire } from 'node:module';
import { StartupError } from './startup-error.js';

/** The names of the service in its documents, pages and headers. */
interface Service {
  /** The title of documents and pages. */
  readonly title: string;
  /** The name within a sentence. */
  readonly noun: string;
  /** The introduction of the OpenAPI document. */
  readonly description: string;
  /** The request that the welcome text suggests. */
  readonly firstRequest: string;
  /**
   * The prefix of API keys, metrics and Redis keys, and the name in `User-Agent`, traces and
   * `pg_stat_activity`. Do not change it in production: it invalidates all API keys and resets the counts.
   */
  readonly prefix: string;
}

const require = createRequire(import.meta.url);

/** The version in `package.json`. */
export const { version: VERSION } = require('#package.json') as { version: string };

/** The names in `service.json`. The command-line program is named `petstore` wherever it is mentioned. */
export const SERVICE = require('#service.json') as Service;

/** The characters that the name of a metric, a product in `User-Agent` and an API key have in common. */
const PREFIX = /^[a-z][a-z0-9_]{0,30}$/;

/** @throws StartupError if `service.json` cannot be used */
export function checkService({
  title,
  noun,
  description,
  firstRequest,
  prefix,
}: Partial<Service> = SERVICE): void {
  for (const [name, text] of Object.entries({ title, noun, description, firstRequest, prefix }))
    if (typeof text !== 'string' || text.trim() === '')
      throw new StartupError(`service.json: ${name} must be a text.`);
  if (!PREFIX.test(prefix ?? ''))
    throw new StartupError(
      'service.json: prefix must be at most 31 of the characters a-z, 0-9 and _, beginning with a letter.',
    );
}
