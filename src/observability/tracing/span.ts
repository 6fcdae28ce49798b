import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags, type Tracer } from '@opentelemetry/api';
import type { ObservedResponse } from '../../http/middleware/response-observer.js';
import { traceOf } from './traceparent.js';

/**
 * The span of a request, a child of that in `traceparent`. Names are those of the semantic conventions of OpenTelemetry for
 * HTTP servers.
 */
export function recordSpan(
  tracer: Tracer,
  { request, route, status, duration, complete }: ObservedResponse,
): void {
  const end = Date.now();
  const { principal } = request;
  const span = tracer.startSpan(
    `${request.method} ${route}`,
    {
      kind: SpanKind.SERVER,
      startTime: end - duration,
      attributes: {
        'http.request.method': request.method,
        'http.route': route,
        'http.response.status_code': status,
        'url.scheme': request.protocol,
        'petstore.request_id': request.id,
        ...(principal?.kind === 'key' && {
          'petstore.key_id': String(principal.id),
          'petstore.plan': principal.plan,
        }),
      },
    },
    parentOf(request.headers.traceparent),
  );
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  if (!complete) span.setAttribute('error.type', 'aborted');
  span.end(end);
}

function parentOf(header: string | string[] | undefined) {
  const parent = traceOf(header);
  if (!parent) return ROOT_CONTEXT;
  const { traceId, spanId, sampled } = parent;
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
