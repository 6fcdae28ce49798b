import { Injectable } from '@nestjs/common';
import type { Int64 } from '../../kernel/json/int64.js';
import type { Step } from '../../http/core/middleware/before-routes.js';
import { addressOf } from '../../http/core/network.js';
import type { ObservedResponse } from '../../http/core/middleware/response-observer.js';
import { traceIdOf } from '../tracing/tracing.js';
import { Logger } from './logger.js';

/**
 * Probes and scrapes. They are logged at level debug unless they fail. A service that stops is not ready, but
 * has not failed.
 */
const PROBES = /^\/(metrics|health\/.+)$/;

/** The log line of a request: docs/running.md describes its members. */
export type RequestLine = ReturnType<typeof lineOf>;

/** Logs one line per request. */
@Injectable()
export class RequestLog {
  constructor(private readonly logger: Logger) {}

  /** A connection that has closed before the response has no address any more. */
  readonly keepAddress: Step = (request) => {
    addressOf(request);
  };

  readonly record = (observed: ObservedResponse): void => {
    const { lines } = this.logger;
    const { status, route, request } = observed;
    const line = () => lineOf(observed);
    if (status >= 500 && status !== 503) lines.error(line());
    else if (PROBES.test(route) && request.reason === undefined) lines.debug(line());
    else if (status === 503) lines.warn(line());
    else if (lines.isLevelEnabled('info')) lines.info(line());
  };
}

/** W3C Trace Context, section 3.2. */
const TRACE_ID = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

/** The members that most lines have; the others are added where they are known. */
interface Line {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  keyId?: Int64;
  plan?: string;
  address?: string | undefined;
  traceId?: string | undefined;
  code?: string;
  reason?: string;
  aborted?: true;
}

/** Without path, query and headers: they may contain secrets. */
function lineOf({ request, route, status, duration, complete }: ObservedResponse): Line {
  const { principal, errorCode, reason, headers } = request;
  const line: Line = {
    requestId: request.id,
    method: request.method,
    route,
    status,
    durationMs: Math.round(duration * 1000) / 1000,
  };
  if (principal?.kind === 'key') {
    line.keyId = principal.id;
    line.plan = principal.plan;
  }
  line.address = addressOf(request);
  const traceId = traceIdOf(request) ?? TRACE_ID.exec(String(headers.traceparent))?.[1];
  if (traceId !== undefined) line.traceId = traceId;
  if (errorCode !== undefined) line.code = errorCode;
  if (reason !== undefined) line.reason = reason;
  if (!complete) line.aborted = true;
  return line;
}
