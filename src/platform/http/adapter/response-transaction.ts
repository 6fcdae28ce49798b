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
  interface Request {
    /** That of a request with an `Idempotency-Key`. `JsonAdapter` ends it. */
    transaction?: ResponseTransaction;
  }
}
