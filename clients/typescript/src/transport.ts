import { deprecationWarning } from './deprecation.js';
import { ConnectionError, errorOf, PetstoreError, RateLimitError, TimeoutError } from './errors.js';
import { type IdKind, readJson, writeJson } from './exact-json.js';
import { Listing, type LoadPage } from './listing.js';
import { type Input, type Operation, type OperationId, OPERATIONS, type Output } from './operations.js';
import { links, responseInfo, type ResponseInfo } from './response-info.js';
import { isAlreadyDeleted, isWorthAnotherTry, waitBefore } from './retry.js';
import { randomText, type Runtime } from './runtime.js';
import type { FieldError } from './types.js';

/** How one call differs from the options of the client. */
export interface RequestOptions {
  /** Ends the call: it throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for each try. */
  readonly timeout?: number | undefined;
  /** Milliseconds for the whole call, with its retries and waits. */
  readonly totalTimeout?: number | undefined;
  /** Retries after the first attempt; 0 for none. */
  readonly maxRetries?: number | undefined;
  /** Whether a 429 is waited for, however often it comes and however long it lasts. */
  readonly waitsForQuota?: boolean | undefined;
}

export interface ReadOptions extends RequestOptions {
  /** The `etag` of an earlier response. While it still holds, the call throws a NotModifiedError. */
  readonly ifNoneMatch?: string | undefined;
}

export interface WriteOptions extends RequestOptions {
  /** 1 to 255 printable ASCII characters, used for this request only. Without it each call makes its own. */
  readonly idempotencyKey?: string | undefined;
}

export interface ChangeOptions extends RequestOptions {
  /** The `etag` of the version that the change is for, or `*`. Another version throws a PreconditionFailedError. */
  readonly ifMatch?: string | undefined;
}

/** What every request of a client has in common. */
export interface Settings {
  readonly url: string;
  readonly apiKey: string;
  readonly userAgent?: string | undefined;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxRetries: number;
  readonly ids: IdKind;
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined;
}

type Options = ReadOptions & WriteOptions & ChangeOptions;
type Paged<Op extends OperationId, Id> = Output<Op, Id> extends (infer Item)[] ? Item : never;

/** What a call returns, with what its response said: `ETag`, rate limits, request id. JSON of it leaves `response` out. */
export type Result<T> = T & { readonly response: ResponseInfo };

interface Received {
  readonly body: unknown;
  readonly headers: Headers;
  readonly response: ResponseInfo;
}

/** Sends requests, waits and tries again. It knows the operations by their table only. */
export class Transport<Id = bigint> {
  /** Hidden from a console that prints the client: it holds the key. */
  readonly #settings: Settings;
  private readonly warned = new Set<OperationId>();

  constructor(
    settings: Settings,
    private readonly runtime: Runtime,
  ) {
    this.#settings = settings;
  }

  /** Unix time in milliseconds. */
  now(): number {
    return this.runtime.now();
  }

  /** Calls an operation. */
  async call<Op extends OperationId>(
    id: Op,
    input: Input<Op, Id>,
    options?: Options,
  ): Promise<Result<Output<Op, Id>>> {
    const { body, response } = await this.receive(id, input, options);
    return Object.defineProperty(body as Result<Output<Op, Id>>, 'response', { value: response });
  }

  /** Calls an operation whose response has no body. */
  async send<Op extends OperationId>(id: Op, input: Input<Op, Id>, options?: Options): Promise<ResponseInfo> {
    return (await this.receive(id, input, options)).response;
  }

  /** Calls an operation whose response is a page. */
  list<Op extends OperationId>(
    id: Op,
    query: Input<Op, Id>['query'],
    options?: RequestOptions,
    path?: Input<Op, Id>['path'],
  ): Listing<Paged<Op, Id>> {
    const asked = listsRead(OPERATIONS[id], query as Parameters | undefined);
    const load: LoadPage<Paged<Op, Id>> = async (cursor, pageOptions) => {
      const input = { path, query: { ...asked, ...(cursor !== undefined && { cursor }) } } as Input<Op, Id>; // as paged ones take it
      const { body, headers, response } = await this.receive(id, input, { ...options, ...pageOptions });
      if (!Array.isArray(body)) throw invalidResponse(response);
      const next = nextCursor(headers);
      return { items: body as Paged<Op, Id>[], ...(next !== undefined && { nextCursor: next }), response };
    };
    return new Listing(load);
  }

  private async receive<Op extends OperationId>(
    id: Op,
    input: Input<Op, Id>,
    options: Options = {},
  ): Promise<Received> {
    const operation: Operation = OPERATIONS[id];
    const { maxRetries = this.#settings.maxRetries, totalTimeout = this.#settings.totalTimeout } = options;
    const deadline = this.runtime.now() + totalTimeout;
    const { path, query } = input as { readonly path?: Parameters; readonly query?: Parameters };
    const url = `${this.#settings.url}${pathOf(operation, path)}${queryOf(query)}`;
    const body = input.body === undefined ? undefined : writeJson(input.body);
    const headers = this.headersOf(operation, body, options);
    const earlier: PetstoreError[] = [];
    for (;;) {
      const request = { method: operation.method, headers, ...(body !== undefined && { body }) };
      try {
        return await this.attempt(id, url, request, options, deadline);
      } catch (error) {
        if (!(error instanceof PetstoreError)) throw error;
        if (error.response && isAlreadyDeleted(operation, error, earlier))
          return { body: undefined, headers: new Headers(), response: error.response };
        const isAwaited = options.waitsForQuota === true && error instanceof RateLimitError;
        if (!isAwaited && earlier.length >= maxRetries) throw error;
        if (!isWorthAnotherTry(operation, error)) throw error;
        const wait = waitBefore(earlier.length, error.retryAfter, this.runtime.random);
        if (this.runtime.now() + wait >= deadline) throw error;
        await this.runtime.sleep(wait, options.signal);
        if (!isAwaited) earlier.push(error);
      }
    }
  }

  /** Those that all tries have in common: a key that is made here is the same on each of them. */
  private headersOf(
    { takesIdempotencyKey }: Operation,
    body: string | undefined,
    { idempotencyKey, ifNoneMatch, ifMatch }: Options,
  ): Headers {
    const headers = new Headers({
      Authorization: `Bearer ${this.#settings.apiKey}`,
      Accept: 'application/json',
    });
    if (this.#settings.userAgent !== undefined) headers.set('User-Agent', this.#settings.userAgent);
    if (body !== undefined) headers.set('Content-Type', 'application/json');
    if (takesIdempotencyKey) headers.set('Idempotency-Key', idempotencyKey ?? randomText());
    if (ifMatch !== undefined) headers.set('If-Match', asSent(ifMatch));
    if (ifNoneMatch !== undefined) {
      headers.set('If-None-Match', asSent(ifNoneMatch));
      headers.set('Cache-Control', 'max-age=0'); // otherwise fetch sends no-cache, to which the response is never 304
    }
    return headers;
  }

  private async attempt(
    id: OperationId,
    url: string,
    request: RequestInit & { readonly headers: Headers },
    { signal, timeout = this.#settings.timeout }: Options,
    deadline: number,
  ): Promise<Received> {
    signal?.throwIfAborted();
    const requestId = randomText(); // ours, so that a request without a response has one too
    request.headers.set('X-Request-Id', requestId);
    const limit = Math.max(1, Math.min(timeout, deadline - this.runtime.now())); // the wait may have taken longer
    const late = this.runtime.timeout(limit);
    let received: Response;
    let text: string;
    try {
      received = await this.runtime.fetch(url, {
        ...request,
        redirect: 'manual', // the service does not redirect, and the key is never sent to another host
        signal: signal ? AbortSignal.any([signal, late]) : late,
      });
      text = await received.text();
    } catch (cause) {
      signal?.throwIfAborted();
      if (late.aborted) {
        const message = `No complete response from ${new URL(url).host} within ${limit} ms.`;
        throw new TimeoutError({ code: 'timeout', message, requestId, cause });
      }
      const message = noConnection(new URL(url).host, cause);
      throw new ConnectionError({ code: 'connection_failed', message, requestId, cause });
    }
    return this.read(id, received, text, requestId);
  }

  private read(id: OperationId, received: Response, text: string, sentId: string): Received {
    const { ok, status, statusText, headers } = received;
    const response = responseInfo(id, received, this.runtime.now());
    this.#settings.onResponse?.(response);
    this.warnOnce(id, headers);
    const requestId = response.requestId ?? sentId;
    const body = status === 204 ? undefined : parsed(text, this.#settings.ids);
    if (!ok) {
      const { retryAfter } = response;
      throw errorOf({
        ...problemOf(body, status, statusText),
        status,
        requestId,
        response,
        ...(retryAfter !== undefined && { retryAfter }),
      });
    }
    if (status !== 204 && !(body instanceof Object)) throw invalidResponse(response);
    return { body, headers, response };
  }

  private warnOnce(id: OperationId, headers: Headers): void {
    if (this.warned.has(id)) return;
    const warning = deprecationWarning(id, OPERATIONS[id], headers);
    if (warning === undefined) return;
    this.warned.add(id);
    this.runtime.warn(warning);
  }
}

type Parameter = string | number | bigint | boolean;
/** A list is sent as a parameter for each of its items. */
type Parameters = Readonly<Record<string, Parameter | readonly Parameter[] | undefined>>;

/** The path with its parameters in place. */
const pathOf = ({ path }: Operation, values: Parameters = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));

function queryOf(values: Parameters = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const items = [value].flat();
    // Without the parameter, an empty list would ask for everything. The service refuses it.
    for (const item of items.length > 0 ? items : ['']) query.append(name, String(item));
  }
  return query.size === 0 ? '' : `?${String(query)}`;
}

/** Of one parameter: one more than the service takes, so that it refuses a longer list. */
const MAX_VALUES = 101;

/** The query of an operation, to be sent for each page: a generator, which JavaScript may give, is read once. */
function listsRead({ lists = [] }: Operation, query: Parameters = {}): Parameters {
  const read = lists
    .filter((name) => query[name] !== undefined)
    .map((name) => [name, several(name, query[name])] as const);
  return { ...query, ...Object.fromEntries(read) };
}

/** @throws TypeError for one value, such as a text, which would be taken apart into characters */
function several(name: string, values: unknown): Parameter[] {
  if (typeof values !== 'object' || values === null || !(Symbol.iterator in values))
    throw new TypeError(`\`${name}\` takes several values, such as an array.`);
  const items: Parameter[] = [];
  for (const item of values as Iterable<Parameter>) if (items.push(item) === MAX_VALUES) break;
  return items;
}

/** The tag of the service, as mod_deflate and mod_brotli of Apache change it. Others, such as those of a module, stay as they are. */
const WITH_SUFFIX = /"([\w-]{22})-(?:gzip|br)"/g;

/** A proxy that compresses marks the tag of a response as weak, or adds a suffix. The service accepts only its own. */
const asSent = (etags: string): string => etags.replaceAll('W/"', '"').replace(WITH_SUFFIX, '"$1"');

/** Of the address of the next page only the cursor is used: the key goes to no host that a response names. */
function nextCursor(headers: Headers): string | undefined {
  const address = links(headers).get('next');
  if (address === undefined) return undefined;
  const query = address.replace(/^[^?]*/, '');
  return new URLSearchParams(query).get('cursor') ?? undefined;
}

/** A proxy between the client and the service may send anything. */
function parsed(text: string, ids: IdKind): unknown {
  try {
    return readJson(text, ids);
  } catch (error) {
    if (error instanceof RangeError) throw error; // an identifier that a number cannot hold
    return undefined;
  }
}

/** Node.js gives the cause of the cause a code; a browser tells no page why. */
function noConnection(host: string, cause: unknown): string {
  const { code } = Object((cause as Error).cause) as { readonly code?: unknown };
  if (code === 'ECONNREFUSED') return `${host} refused the connection.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The name of ${host} cannot be resolved.`;
  return `No complete response from ${host}.`;
}

function invalidResponse({ status, requestId }: ResponseInfo): PetstoreError {
  const message = `The body of the response with status ${status} does not match the OpenAPI document.`;
  return new PetstoreError({ code: 'invalid_response', message, status, requestId });
}

/** What the body of an error says, and what to say in its place where it is none of the service's. */
function problemOf(body: unknown, status: number, statusText: string) {
  const { code, message, details } = Object(body) as Readonly<Record<string, unknown>>;
  return {
    code: typeof code === 'string' ? code : status === 304 ? 'not_modified' : 'unknown',
    message: typeof message === 'string' ? message : `${status} ${statusText}`.trim(),
    details: Array.isArray(details) ? (details as FieldError[]) : [],
  };
}
