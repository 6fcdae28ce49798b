import { isNativeError } from 'node:util/types';

const messageOf = (error: unknown): string => (isNativeError(error) ? error.message : String(error));

/** A transaction was rolled back although its work has not failed, because it ignored that a part of it had. */
export class TransactionRolledBack extends Error {
  /** @param options.cause the error of the write, if it is known */
  constructor(options?: { readonly cause: unknown }) {
    const why = options ? `writes had failed: ${messageOf(options.cause)}` : 'statements had failed.';
    super(`The transaction was rolled back because one of its ${why}`, options);
  }
}
