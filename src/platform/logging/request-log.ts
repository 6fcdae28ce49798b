import { Injectable } from '@nestjs/common';
import type { ObservedResponse } from '../http/middleware/response-observer.js';
import { Logger } from './logger.js';

/** Probes and scrapes. They are logged at level debug unless they fail. A service that stops is not ready, but has not failed. */
const PROBES = /^\/(metrics|health\/.+)$/;

/** The log line of a request: docs/operating.md describes its members. */
export type RequestLine = ReturnType<typeof lineOf>;

/** Logs one line per request. */
@Injectable()
export class RequestLog {
  constructor(private readonly logger: Logger) {}

  readonly record = (observed: ObservedResponse): void => {
    const { lines } = this.logger;
    const { status, route, request } = observed;
    if (status >= 500 && status !== 503) lines.error(lineOf(observed));
    else if (PROBES.test(route) && request.reason === undefined) lines.debug(lineOf(observed));
    else if (status === 503) lines.warn(lineOf(observed));
    else if (lines.isLevelEnabled('info')) lines.info(lineOf(observed));
  };
}

/** W3C Trace Context, section 3.2. */
const TRACE_ID = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

/** Without path, query and headers: they may contain secrets. pino omits undefined properties. */
function lineOf({ request, route, status, duration, complete }: ObservedResponse) {
  const { id: requestId, method, principal, headers } = request;
  const key = principal?.kind === 'key' ? principal : undefined;
  return {
    requestId,
    method,
    route,
    status,
    durationMs: Math.round(duration * 1000) / 1000,
    keyId: key?.id,
    plan: key?.plan,
    address: key ? undefined : request.ip,
    traceId: TRACE_ID.exec(String(headers.traceparent))?.[1],
    reason: request.reason,
    aborted: complete ? undefined : true,
  };
}
