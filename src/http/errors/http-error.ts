import { isNativeError } from 'node:util/types';

/** An error of the package http-errors, which body-parser and much other middleware throws, or an object like one. */
interface HttpError {
  readonly statusCode: number;
  readonly message: string;
  readonly expose?: boolean;
  /** What is wrong, in the words of body-parser. */
  readonly type?: unknown;
}

/** By the same signs as in Nest. Others have a `status` as well: that of what they asked, for instance. */
export function isHttpError(thrown: unknown): thrown is HttpError {
  if (typeof thrown !== 'object' || thrown === null) return false;
  const { status, statusCode, expose, message } = thrown as Record<string, unknown>;
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 599) return false;
  if (isNativeError(thrown)) return typeof expose === 'boolean' && status === statusCode;
  return Number.isInteger(statusCode) && typeof message === 'string';
}

export const isParseError = (thrown: unknown): boolean =>
  isHttpError(thrown) && thrown.type === 'entity.parse.failed';

/** Whether an exception's cause is the client's doing, and so not worth a line in the log. */
export const isClientError = (cause: unknown): boolean =>
  isHttpError(cause) ? cause.statusCode < 500 : isNativeError(cause) && cause.name === 'MulterError';
