import { Categories } from './resources/categories.js';
import { Events } from './resources/events.js';
import { Orders } from './resources/orders.js';
import { OwnKey } from './resources/own-key.js';
import { Pets } from './resources/pets.js';
import { RateLimits } from './resources/rate-limits.js';
import { Webhooks } from './resources/webhooks.js';
import type { ResponseInfo } from './response-info.js';
import { environmentVariable, platform, RUNTIME, type Runtime } from './runtime.js';
import { type Settings, Transport } from './transport.js';
import { VERSION } from './version.js';

/** Times are in milliseconds. */
export interface ClientOptions {
  /** With the version, such as `https://petstore.example/v1`. The variable `PETSTORE_URL` unless given. */
  readonly url?: string;
  /** The variable `PETSTORE_API_KEY` unless given. */
  readonly apiKey?: string;
  /** For each try, its response included. 10 s unless given. */
  readonly timeout?: number;
  /** For a whole call, with its retries and waits. 2 min unless given. A call that would have to wait longer fails at once. */
  readonly totalTimeout?: number;
  /** Tries after the first one. 4 unless given; 0 for none. */
  readonly maxRetries?: number;
  /** Your program, such as `shop/1.2`, put before the name of this client. */
  readonly userAgent?: string;
  /** Called with every response, also of those that are followed by another try. */
  readonly onResponse?: (response: ResponseInfo) => void;
  /** For tests, and for a `fetch` of your own. */
  readonly runtime?: Partial<Runtime>;
}

/**
 * The Pet Store service. What a call cannot do it throws as a PetstoreError.
 *
 *     const client = new PetstoreClient();
 *     for await (const pet of client.pets.list({ status: 'available' })) console.log(pet.id, pet.name);
 */
export class PetstoreClient {
  readonly pets: Pets;
  readonly categories: Categories;
  readonly orders: Orders;
  readonly events: Events;
  readonly webhooks: Webhooks;
  readonly key: OwnKey;
  readonly rateLimits: RateLimits;
  private readonly transport: Transport;

  /** @throws TypeError if the address or the key is missing, or the address is not an HTTP URL */
  constructor(options: ClientOptions = {}) {
    this.transport = new Transport(settingsOf(options), { ...RUNTIME, ...options.runtime });
    this.pets = new Pets(this.transport);
    this.categories = new Categories(this.transport);
    this.orders = new Orders(this.transport);
    this.events = new Events(this.transport);
    this.webhooks = new Webhooks(this.transport);
    this.key = new OwnKey(this.transport);
    this.rateLimits = new RateLimits(this.transport);
  }

  /** What the last response said: quota, request id, ETag. Where calls overlap, `onResponse` tells them apart. */
  get lastResponse(): ResponseInfo | undefined {
    return this.transport.lastResponse;
  }
}

function settingsOf(options: ClientOptions): Settings {
  const { timeout = 10_000, totalTimeout = 120_000, maxRetries = 4, userAgent, onResponse } = options;
  const url = options.url ?? environmentVariable('PETSTORE_URL');
  const apiKey = options.apiKey ?? environmentVariable('PETSTORE_API_KEY');
  if (url === undefined) throw new TypeError('The address is missing: give `url`, or set PETSTORE_URL.');
  if (apiKey === undefined)
    throw new TypeError('The key is missing: give `apiKey`, or set PETSTORE_API_KEY.');
  if (!/^https?:$/.test(new URL(url).protocol)) throw new TypeError(`${url} is not an HTTP URL.`);
  return {
    url: url.replace(/\/+$/, ''),
    apiKey,
    userAgent: userAgentOf(userAgent),
    timeout,
    totalTimeout,
    maxRetries,
    onResponse,
  };
}

/** Undefined in a browser: it names itself, and would have to ask the service for leave to send another name. */
function userAgentOf(program: string | undefined): string | undefined {
  if (platform === undefined) return undefined;
  return [program, `petstore-client-typescript/${VERSION}`, platform].filter(Boolean).join(' ');
}
