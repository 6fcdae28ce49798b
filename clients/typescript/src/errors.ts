import type { ERROR_CODES } from './error-codes.js';
import type { ResponseInfo } from './response-info.js';
import type { FieldError, Pet } from './types.js';

/** A code of the service. */
export type ErrorCode = (typeof ERROR_CODES)[number];
/** A code of this client, where the service sent no code. */
export type ClientErrorCode =
  | 'connection_failed'
  | 'timeout'
  | 'interrupted'
  | 'not_modified'
  | 'invalid_response'
  | 'invalid_signature'
  | 'unknown';

/** What an error is made of. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly requestId?: string | undefined;
  readonly details?: readonly FieldError[];
  readonly retryAfter?: number;
  readonly response?: ResponseInfo;
  readonly cause?: unknown;
}

/** The errors of a call. Branch on class or `code`, show `message`, and quote `requestId` when you ask for help. */
export class PetstoreError extends Error {
  override name = 'PetstoreError';
  /** Machine-readable; new codes may be added. Without a response of the service it is a code of this client. */
  readonly code: ErrorCode | ClientErrorCode | (string & {}); // keeps the completion of the known ones
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  /** Each invalid property or parameter. */
  readonly details: readonly FieldError[];
  /** Seconds to wait before a retry, if the response says so. */
  readonly retryAfter: number | undefined;
  /** What the response headers say, such as the rate limits; undefined without a response. */
  readonly response: ResponseInfo | undefined;

  constructor({ code, message, status, requestId, details = [], retryAfter, response, cause }: Problem) {
    super(message, { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.details = details;
    this.retryAfter = retryAfter;
    this.response = response;
  }
}

/** 400 and 422: a property or parameter is not valid; see `details`. */
export class ValidationError extends PetstoreError {
  override name = 'ValidationError';
}

/** 401: no API key, or one that is not valid. */
export class AuthenticationError extends PetstoreError {
  override name = 'AuthenticationError';
}

/** 403: the API key lacks the scope. */
export class PermissionError extends PetstoreError {
  override name = 'PermissionError';
}

/** 404: the resource does not exist. */
export class NotFoundError extends PetstoreError {
  override name = 'NotFoundError';
}

/** 409, and 422 `idempotency_key_reused`: conflicts with the current state. */
export class ConflictError extends PetstoreError {
  override name = 'ConflictError';
}

/** 412: the resource has changed since the version that `ifMatch` names. */
export class PreconditionFailedError extends PetstoreError {
  override name = 'PreconditionFailedError';
}

/** 410: the operation has been removed, or the events after the cursor have been deleted. */
export class GoneError extends PetstoreError {
  override name = 'GoneError';
}

/** 405, 408, 413, 415, 431 and further 4xx: the service cannot process the request as it was sent. */
export class InvalidRequestError extends PetstoreError {
  override name = 'InvalidRequestError';
}

/** 429: the key's quota is used up, or the key is banned, for `retryAfter` seconds. */
export class RateLimitError extends PetstoreError {
  override name = 'RateLimitError';
}

/** 5xx: a fault of the service, or of a proxy before it. */
export class ServerError extends PetstoreError {
  override name = 'ServerError';
}

/** No response, or only part of one. The request may or may not have been processed. */
export class ConnectionError extends PetstoreError {
  override name = 'ConnectionError';
}

/** No complete response within the time limit. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError';
}

/** 304: nothing has changed since the response whose `etag` is `ifNoneMatch`. */
export class NotModifiedError extends PetstoreError {
  override name = 'NotModifiedError';
}

/** The service did not sign this webhook message, or not within the last 5 minutes. Respond with 400. */
export class WebhookVerificationError extends PetstoreError {
  override name = 'WebhookVerificationError';
}

/** `pets.createMany` was cut off. Run it again with the same `idempotencyKey` and pets: no pet is added twice for 24 hours. */
export class CreateManyError<Id = bigint> extends PetstoreError {
  override name = 'CreateManyError';

  /**
   * @param cause the error of the part that was not added, or that of the iterable
   * @param created the pets that were added before it, in their order. The next one may have been added, too, if `cause` is a ConnectionError
   */
  constructor(
    override readonly cause: unknown,
    readonly created: readonly Pet<Id>[],
  ) {
    const { status, requestId, details, retryAfter, response, code, message } = Object(
      cause,
    ) as Partial<PetstoreError>;
    super({
      code: typeof code === 'string' ? code : 'interrupted',
      message: `${created.length} pets were added, then: ${message ?? String(cause)}`,
      cause,
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
      ...(details !== undefined && { details }),
      ...(retryAfter !== undefined && { retryAfter }),
      ...(response !== undefined && { response }),
    });
  }
}

type ErrorClass = new (problem: Problem) => PetstoreError;

const BY_STATUS: Readonly<Record<number, ErrorClass>> = {
  304: NotModifiedError,
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  412: PreconditionFailedError,
  422: ValidationError,
  429: RateLimitError,
};

const BY_CODE: Readonly<Record<string, ErrorClass>> = { idempotency_key_reused: ConflictError };

/** The error for a response. A status or a code that this client does not know yet still gets a class. */
export function errorOf(problem: Problem & { readonly status: number }): PetstoreError {
  const { code, status } = problem;
  const byRange = status >= 500 ? ServerError : status >= 400 ? InvalidRequestError : PetstoreError;
  return new (BY_CODE[code] ?? BY_STATUS[status] ?? byRange)(problem);
}
