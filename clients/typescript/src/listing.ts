import type { ResponseInfo } from './response-info.js';

/** One page of a list. */
export interface Page<Item> {
  readonly items: Item[];
  /** The `cursor` of the next page. Undefined on the last one. */
  readonly nextCursor?: string;
  readonly response: ResponseInfo;
}

export interface PageOptions {
  /** The `etag` of an earlier response. While it still holds, the call throws a NotModifiedError. */
  readonly ifNoneMatch?: string | undefined;
}

/** Asks for one page; without a cursor for the page that the query names. */
export type LoadPage<Item> = (cursor?: string, options?: PageOptions) => Promise<Page<Item>>;

/**
 * A list that is read on demand: `for await (const item of listing)`. A page is one request, sent when the previous
 * page is used up. The first request is sent with the first item.
 */
export class Listing<Item> implements AsyncIterable<Item> {
  /** @param endsWhenEmpty for a feed, which has no last page: the `nextCursor` of its empty page leads to what comes later */
  constructor(
    private readonly load: LoadPage<Item>,
    private readonly endsWhenEmpty = false,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** Page by page. */
  async *pages(): AsyncGenerator<Page<Item>, void> {
    let page = await this.load();
    yield page;
    while (page.nextCursor !== undefined && !(this.endsWhenEmpty && page.items.length === 0)) {
      page = await this.load(page.nextCursor);
      yield page;
    }
  }

  /** The same list, which ends at an empty page. */
  untilEmpty(): Listing<Item> {
    return new Listing(this.load, true);
  }

  /** One page alone: the first, or the one that the `cursor` of the query names. */
  page(options?: PageOptions): Promise<Page<Item>> {
    return this.load(undefined, options);
  }
}
