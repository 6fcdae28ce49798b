import { StartupError } from './startup-error.js';

/** The names of a service in its documents, pages, headers and programs. */
export interface ServiceNames {
  /** The title of documents and pages. */
  readonly title: string;
  /** The name within a sentence, after “the”: `pet store`. */
  readonly noun: string;
  /** The introduction of the OpenAPI document. */
  readonly description: string;
  /** The request that the welcome text suggests. */
  readonly firstRequest: string;
  /**
   * The prefix of API keys, metrics and Redis keys, and the name in `User-Agent`, traces and
   * `pg_stat_activity`; in upper case, that of the variables of the data folder and of the actor. Do not change
   * it in production: it invalidates all API keys and resets the counts.
   */
  readonly prefix: string;
  /** The name of the command-line program. */
  readonly program: string;
  /** The version of the software. */
  readonly version: string;
  /** The version of the interface, in the document. */
  readonly interfaceVersion: string;
  /** The SPDX identifier of the licence, in the document. */
  readonly license: string;
}

/** The characters that the name of a metric, a product in `User-Agent` and an API key have in common. */
const PREFIX = /^[a-z][a-z0-9_]{0,30}$/;
/** Those of a command. */
const PROGRAM = /^[a-z][a-z0-9-]{0,30}$/;

const TEXTS = [
  'title',
  'noun',
  'description',
  'firstRequest',
  'prefix',
  'program',
  'version',
  'interfaceVersion',
  'license',
] as const satisfies readonly (keyof ServiceNames)[];

let names: ServiceNames | undefined;

/** Names the service of this process. */
export function nameService(given: ServiceNames): void {
  names = given;
}

/** @throws StartupError if a name cannot be used */
export function checkService(given: Partial<ServiceNames> = service()): void {
  for (const name of TEXTS)
    if (typeof given[name] !== 'string' || given[name].trim() === '')
      throw new StartupError(`The service: ${name} must be a text.`);
  if (!PREFIX.test(given.prefix ?? ''))
    throw new StartupError(
      'The service: prefix must be at most 31 of the characters a-z, 0-9 and _, beginning with a letter.',
    );
  if (!PROGRAM.test(given.program ?? ''))
    throw new StartupError(
      'The service: program must be at most 31 of the characters a-z, 0-9 and -, beginning with a letter.',
    );
}

/** The names of the service. A function, because they are not known while modules load. */
export function service(): ServiceNames {
  if (!names) throw new Error('No service has been defined: call defineService() first.');
  return names;
}

/** The path that the documents take as an example, such as `/v1/pets`. */
export const examplePath = (): string => service().firstRequest.replace(/\?.*/, '');

/**
 * Places in the metadata of decorators, which are evaluated while modules load. The document gets the names of
 * the service there when it is made.
 */
export const PLACES = {
  prefix: '%service.prefix%',
  path: '%service.path%',
  plan: '%service.plan%',
  plans: '%service.plans%',
  event: '%service.event%',
  webhooks: '%service.webhooks%',
} as const;

/** The name of the program, for lines on stderr: an error may come before there is a service. */
export const programName = (): string => names?.program ?? 'service';

/** The name of a variable that carries the prefix, such as `PETSTORE_DATA_DIR`. */
export const prefixed = (name: string): string => `${service().prefix.toUpperCase()}_${name}`;
