import type { Request, Response } from 'express';

/** What a request holds until its response begins. */
export interface Slot {
  readonly isReleased: boolean;
  /** Does nothing if it has been released already. */
  release(): void;
}

/**
 * What gives a request its slot. An object: V8 would keep a function that each request has assigned to a
 * property in the old generation.
 */
export interface SlotSource {
  /** Takes a slot, at once or when the request is next. @throws ServiceUnavailable */
  takeSlot(request: Request, response: Response): true | Promise<true>;
}

/** Which headers the successful response of a handler has for its resource. */
export interface SentResource {
  /** Whether it is the resource as a GET returns it, so that it has the `ETag` of that. */
  readonly etag: boolean;
  /** Whether the resource is a new one, whose `Location` is below the path of the request. */
  readonly isNew?: boolean;
}

/** A transaction of PostgreSQL that ends with the response to its request. */
export interface ResponseTransaction {
  /**
   * Stores the response, whose status and headers are set, and commits.
   * @param text its body, or null for none
   * @throws the error of a failed commit; the headers are then those of before the handler
   */
  commit(text: string | null): Promise<void>;
  /** Resolves when it has ended. Never rejects. */
  rollBack(): Promise<void>;
}

declare module 'express-serve-static-core' {
  /**
   * All that the platform keeps on a request, but for the `principal` of `auth` and the `rateLimit` of
   * `rate-limit`. A folder above `http` leaves here what `http` calls later.
   */
  interface Request {
    /** Identifies the request in the `X-Request-Id` of its response and in the log. */
    id: string;
    /** The internal cause of a failure; logged, never sent. */
    reason?: string;
    /** The `code` of the Error that was sent; logged. */
    errorCode?: string;
    /** Set by `addressOf`. */
    address?: string | undefined;
    /** The place of the request among those of its client that are at work. */
    slot?: Slot;
    /** Gives it that place. `PlanThrottlerGuard` sets it, `BodyGuard` asks when the body has been read. */
    slotSource?: SlotSource;
    /** What its handler sends. `AccessGuard` sets it, the `ETag` and `Location` depend on it. */
    sentResource?: SentResource | undefined;
    /** That of a request with an `Idempotency-Key`: `IdempotencyGuard` begins it, `JsonAdapter` ends it. */
    transaction?: ResponseTransaction;
  }
}
