/** The part of a list that a client requests. */
export interface PageRequest {
  /** Maximum number of items. */
  readonly limit: number;
  /** `next` of the previous page; absent for the first page. */
  readonly cursor?: string | undefined;
}

/** A part of a list, with the cursor of the next part. */
export class Page<T> {
  constructor(
    readonly items: readonly T[],
    /** Cursor of the next page; absent on the last one. */
    readonly next?: string,
    /** Whether the client named one id: the response then has the `ETag` of the item, for `If-Match`. */
    readonly isOfOneId = false,
  ) {}

  map<U>(transform: (item: T) => U): Page<U> {
    return new Page(this.items.map(transform), this.next, this.isOfOneId);
  }

  /** The page of a client that asked for one item by its id. */
  ofOneId(): Page<T> {
    return new Page(this.items, this.next, true);
  }

  toJSON(): never {
    throw new Error('A handler that returns a Page needs @Paged()');
  }
}
