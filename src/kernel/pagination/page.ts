/** The part of a list that a client requests. */
export interface PageRequest {
  /** Maximum number of items. */
  readonly limit: number;
  /** `next` of the previous page; absent for the first page. */
  readonly cursor?: string | undefined;
}

/** A part of a list, with the cursor of the next part. */
export class Page<T> extends Array<T> {
  /** What `filter` and the like return. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  readonly #next: string | undefined;
  readonly #isOfOneId: boolean;

  constructor(items: readonly T[], next?: string, isOfOneId = false) {
    super();
    for (const item of items) this.push(item);
    this.#next = next;
    this.#isOfOneId = isOfOneId;
  }

  /** Cursor of the next page; absent on the last one. */
  get next(): string | undefined {
    return this.#next;
  }

  /** Whether the client named one id: the response then has the `ETag` of the item, for `If-Match`. */
  get isOfOneId(): boolean {
    return this.#isOfOneId;
  }

  override map<U>(transform: (item: T, index: number, items: T[]) => U): Page<U> {
    return new Page(super.map(transform), this.#next, this.#isOfOneId);
  }

  /** The page of a client that asked for one item by its id. */
  ofOneId(): Page<T> {
    return new Page(this, this.#next, true);
  }
}
