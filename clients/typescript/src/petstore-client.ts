import type { IdKind, IdTypes } from './exact-json.js';
import { Categories } from './resources/categories.js';
import { Events } from './resources/events.js';
import { Orders } from './resources/orders.js';
import { Key } from './resources/key.js';
import { Pets } from './resources/pets.js';
import { RateLimits } from './resources/rate-limits.js';
import { Webhooks } from './resources/webhooks.js';
import type { ResponseInfo } from './response-info.js';
import { environmentVariable, platform, RUNTIME, type Runtime } from './runtime.js';
import { type Settings, Transport } from './transport.js';
import { VERSION } from './version.js';

/** Times are in milliseconds. */
export interface ClientOptions<Ids extends IdKind = 'bigint'> {
  /**
   * How identifiers appear: as `bigint` (default), as `string`, or as `number`, which throws for one above 2^53.
   * `JSON.stringify` does not accept a bigint.
   */
  readonly ids?: Ids | undefined;
  /** With the version, such as `https://petstore.example/v1`. Default: the variable `PETSTORE_URL`. */
  readonly url?: string | undefined;
  /** Default: the variable `PETSTORE_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** For each attempt, including its response. 10 s by default. */
  readonly timeout?: number | undefined;
  /** For a whole call, including retries and waits. 2 min by default. A call that would have to wait longer fails immediately. */
  readonly totalTimeout?: number | undefined;
  /** Retries after the first attempt, 4 by default; 0 for none. */
  readonly maxRetries?: number | undefined;
  /** Your program, such as `shop/1.2`, sent before the name of this client. */
  readonly userAgent?: string | undefined;
  /** Called with every response, including those that lead to a retry. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined;
  /** For tests, and for a `fetch` of your own. */
  readonly runtime?: Partial<Runtime> | undefined;
}

/**
 * The Pet Store service. If a call fails, it throws a PetstoreError.
 *
 *     const client = new PetstoreClient();
 *     for await (const pet of client.pets.list({ status: 'available' })) console.log(pet.id, pet.name);
 */
export class PetstoreClient<Ids extends IdKind = 'bigint'> {
  readonly pets: Pets<IdTypes[Ids]>;
  readonly categories: Categories<IdTypes[Ids]>;
  readonly orders: Orders<IdTypes[Ids]>;
  readonly events: Events<IdTypes[Ids]>;
  readonly webhooks: Webhooks<IdTypes[Ids]>;
  readonly key: Key<IdTypes[Ids]>;
  readonly rateLimits: RateLimits<IdTypes[Ids]>;

  /** @throws TypeError if the address or the key is missing, or the address is not an HTTP URL */
  constructor(options: ClientOptions<Ids> = {}) {
    const transport = new Transport<IdTypes[Ids]>(settingsOf(options), { ...RUNTIME, ...options.runtime });
    this.pets = new Pets(transport);
    this.categories = new Categories(transport);
    this.orders = new Orders(transport);
    this.events = new Events(transport);
    this.webhooks = new Webhooks(transport);
    this.key = new Key(transport);
    this.rateLimits = new RateLimits(transport);
  }
}

function settingsOf(options: ClientOptions<IdKind>): Settings {
  const {
    timeout = 10_000,
    totalTimeout = 120_000,
    maxRetries = 4,
    userAgent,
    onResponse,
    ids = 'bigint',
  } = options;
  const url = (options.url ?? environmentVariable('PETSTORE_URL'))?.trim();
  const apiKey = (options.apiKey ?? environmentVariable('PETSTORE_API_KEY'))?.trim();
  if (!url) throw new TypeError('The address is missing: give `url`, or set PETSTORE_URL.');
  if (!apiKey) throw new TypeError('The key is missing: give `apiKey`, or set PETSTORE_API_KEY.');
  if (!/^https?:/i.test(url) || !URL.canParse(url)) throw new TypeError(`${url} is not an HTTP URL.`);
  if (!/^[!-~]+$/.test(apiKey)) throw new TypeError('The key contains a character that no key has.');
  return {
    url: url.replace(/\/+$/, ''),
    apiKey,
    userAgent: userAgentOf(userAgent),
    timeout,
    totalTimeout,
    maxRetries,
    ids,
    onResponse,
  };
}

/** Undefined in a browser: browsers do not let a page set `User-Agent`. */
function userAgentOf(program: string | undefined): string | undefined {
  if (platform === undefined) return undefined;
  return [program, `petstore-client-typescript/${VERSION}`, platform].filter(Boolean).join(' ');
}
