/** Which part of a list a client asks for. */
export interface PageRequest {
  /** How many items at most. */
  readonly limit: number;
  /** `next` of the page before; absent for the first page. */
  readonly cursor?: string | undefined;
}

/** Part of a longer list, and where the rest of it starts. */
export class Page<T> {
  constructor(
    readonly items: readonly T[],
    /** Cursor of the following page; absent on the last one. */
    readonly next?: string,
  ) {}

  map<U>(transform: (item: T) => U): Page<U> {
    return new Page(this.items.map(transform), this.next);
  }

  /** Clients get the items alone: a handler that returns a page needs `@Paged()`. */
  toJSON(): never {
    throw new Error('A handler that returns a Page needs @Paged()');
  }
}
