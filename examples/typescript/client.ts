import { BACK_OFF, type BackOff, waitBefore } from './back-off.js';
import { type Exact, readJson, writeJson } from './json.js';
import { PetstoreError } from './petstore-error.js';
import type { components, operations } from './petstore.js';

export type Pet = Exact<components['schemas']['Pet']>;
export type NewPet = Exact<components['schemas']['NewPet']>;
export type PetFilter = Omit<NonNullable<operations['listPets']['parameters']['query']>, 'cursor'>;

const TIME_OUT = 10_000; // milliseconds for one request

/** Worth another try. 409: the first try is still being worked on. */
const REPEATABLE = [409, 429, 502, 503, 504];

/** Lists and adds animals, and backs off when it is told to. What it cannot do throws a PetstoreError. */
export class PetstoreClient {
  private readonly backOff: BackOff;

  /** @param url with the version, such as `http://127.0.0.1:3000/v1` */
  constructor(
    private readonly url: string,
    private readonly key: string,
    backOff: Partial<BackOff> = {},
  ) {
    this.backOff = { ...BACK_OFF, ...backOff };
  }

  /** Every animal once, in ascending order of its id. A page is asked for when the one before is used up. */
  async *pets({ status, limit = 100 }: PetFilter = {}): AsyncGenerator<Pet> {
    const query = new URLSearchParams({ limit: String(limit), ...(status && { status }) });
    let page: string | undefined = `${this.url}/pets?${String(query)}`;
    while (page !== undefined) {
      const response = await this.request('GET', page);
      yield* readJson(await response.text()) as Pet[];
      page = nextPage(response);
    }
  }

  /** Adds it once, however often that has to be tried: every try has the same `Idempotency-Key`. */
  async addPet(pet: NewPet): Promise<Pet> {
    const once = { 'Idempotency-Key': crypto.randomUUID() };
    const response = await this.request('POST', `${this.url}/pets`, writeJson(pet), once);
    return readJson(await response.text()) as Pet;
  }

  private async request(
    method: 'GET' | 'POST',
    url: string,
    body?: string,
    headers?: Record<string, string>,
  ): Promise<Response> {
    this.keepKeyAtHome(url);
    const { tries, patience, sleep } = this.backOff;
    for (let retry = 0; ; retry++) {
      const isLast = retry + 1 >= tries;
      const response = await this.send(method, url, body, headers).catch((error: unknown) => {
        if (isLast) throw error;
        return undefined; // no answer: nobody knows whether the request arrived
      });
      if (response?.ok) return response;
      const wait = waitBefore(retry, response?.headers.get('Retry-After') ?? null, this.backOff);
      const worthIt = !isLast && wait <= patience;
      if (response && !(worthIt && REPEATABLE.includes(response.status)))
        throw await PetstoreError.from(response);
      await response?.body?.cancel(); // the connection is free again
      await sleep(wait);
    }
  }

  private send(method: string, url: string, body?: string, more?: Record<string, string>): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/json', ...more };
    return fetch(url, { method, headers, body, signal: AbortSignal.timeout(TIME_OUT) });
  }

  /** The address of a page comes from outside. */
  private keepKeyAtHome(url: string): void {
    if (new URL(url).origin === new URL(this.url).origin) return;
    throw new Error(`${url} is not at ${this.url}: the key stays here.`);
  }
}

/** The address with `rel="next"` in the `Link` header (RFC 8288). */
const nextPage = ({ headers }: Response): string | undefined =>
  /<([^>]*)>;\s*rel="next"/.exec(headers.get('Link') ?? '')?.[1];
