import { HttpException } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import type { DomainError } from './domain-error.js';
import type { FieldError } from './field-error.js';
import { HTTP_STATUS } from './error-kind.js';
import { InternalError } from './common.errors.js';
import { isNativeError } from 'node:util/types';

/** The body of every error response. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  readonly details?: readonly FieldError[];
}

export function ofDomainError({ kind, code, message, details }: DomainError): ErrorBody {
  return { code, message, status: HTTP_STATUS[kind], ...(details && { details }) };
}

/** The status, message and, if set, code of an exception. */
export function ofHttpException(exception: HttpException): ErrorBody {
  const { errorCode } = exception;
  const status = exception.getStatus();
  const response: unknown = exception.getResponse();
  if (response instanceof Error) return ofStatus(status);
  if (typeof response !== 'object' || response === null) return ofStatus(status, response, errorCode);
  const own = response as {
    readonly message?: unknown;
    readonly code?: unknown;
    readonly errorCode?: unknown;
  };
  return ofStatus(status, own.message, own.code ?? own.errorCode ?? errorCode);
}

/**
 * An error with a status. 500 has a generic message. Otherwise a missing message or code comes from the name
 * of the status, such as `payment_required`.
 */
export function ofStatus(status: number, message?: unknown, code?: unknown): ErrorBody {
  if (status === 500) return ofDomainError(new InternalError());
  return {
    code: isText(code) ? code : statusCodeName(status),
    message: messageText(message) ?? statusText(status),
    status,
  };
}

function statusCodeName(status: number): string {
  if (status === 418) return 'im_a_teapot';
  const name = STATUS_CODES[status] ?? statusText(status);
  return name.toLowerCase().replace(/[^a-z]+/g, '_');
}

const statusText = (status: number): string =>
  STATUS_CODES[status] ?? (status < 500 ? 'Client Error' : 'Server Error');

/** A text. An array or object of texts, such as one by field, is joined. */
function messageText(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null) return isText(message) ? message : undefined;
  const texts = Object.values(message).map(messageText).filter(isText);
  return texts.length > 0 ? texts.join('. ') : undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/**
 * An error of the package http-errors, as body-parser and most middleware throw it, or an object of the same
 * shape.
 */
interface HttpError {
  readonly statusCode: number;
  readonly message: string;
  readonly expose?: boolean;
  /** The kind of error in body-parser, such as `entity.parse.failed`. */
  readonly type?: unknown;
}

/** As strict as Nest: other errors may have a `status` too, such as that of an upstream response. */
export function isHttpError(thrown: unknown): thrown is HttpError {
  if (typeof thrown !== 'object' || thrown === null) return false;
  const { status, statusCode, expose, message } = thrown as Record<string, unknown>;
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 599) return false;
  if (isNativeError(thrown)) return typeof expose === 'boolean' && status === statusCode;
  return Number.isInteger(statusCode) && typeof message === 'string';
}

export const isParseError = (thrown: unknown): boolean =>
  isHttpError(thrown) && thrown.type === 'entity.parse.failed';

/** Whether the client caused the exception, so that it need not be logged. */
export const isClientError = (cause: unknown): boolean =>
  isHttpError(cause) ? cause.statusCode < 500 : isNativeError(cause) && cause.name === 'MulterError';
