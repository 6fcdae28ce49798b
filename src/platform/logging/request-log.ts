import { Injectable } from '@nestjs/common';
import type { Int64 } from '../json/int64.js';
import type { ObservedResponse } from '../http/middleware/response-observer.js';
import { Logger } from './logger.js';

/** Probes and scrapes. They are logged at level debug unless they fail. A service that stops is not ready, but has not failed. */
const PROBES = /^\/(metrics|health\/.+)$/;

/** The log line of a request. Path, query and headers are omitted: they may contain secrets. */
export interface RequestLine {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the route, such as `/v1/pets/:petId`. */
  readonly route: string;
  readonly status: number;
  /** Milliseconds from the head of the request to the last byte of the response. */
  readonly durationMs: number;
  readonly keyId?: Int64;
  readonly plan?: string;
  /** Only for an anonymous client, whose requests count against its address. */
  readonly address?: string;
  /** From the request's `traceparent`. */
  readonly traceId?: string;
  /** Why the service could not do what the client asked for. */
  readonly reason?: string;
  /** The client closed the connection before the response was complete. */
  readonly aborted?: true;
}

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

/** pino omits undefined properties. */
function lineOf({ request, route, status, duration, complete }: ObservedResponse): RequestLine {
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
