// tracing/ sends a span for each request to OpenTelemetry, if an endpoint is set.

import type { Tracer } from '@opentelemetry/api';
import { setTimeout as delay } from 'node:timers/promises';
import { service } from '../../kernel/config/service.js';
import { seconds } from '../../kernel/clock/duration.js';
import type { ObservedResponse, ResponseObserver } from '../../http/core/middleware/response-observer.js';

const FLUSH_TIMEOUT = seconds(1.5);

/** Sends a span of each request to an OpenTelemetry collector. */
export interface Tracing {
  readonly record: ResponseObserver;
  /** Sends the remaining spans, with a time limit for the collector. */
  close(): Promise<void>;
}

/**
 * Starts tracing. The libraries of OpenTelemetry read their configuration from environment variables. They
 * are loaded only here to save memory and time.
 */
export async function startTracing(): Promise<Tracing> {
  const [api, { W3CTraceContextPropagator }, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const named = resources.resourceFromAttributes({ 'service.name': service().prefix });
  const provider = new sdk.BasicTracerProvider({
    resource: named.merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer: Tracer = provider.getTracer(service().prefix);
  const propagator = new W3CTraceContextPropagator();
  return {
    record: (observed) => {
      const { status, duration, complete, request } = observed;
      const end = Date.now();
      const options = {
        kind: api.SpanKind.SERVER,
        startTime: end - duration,
        attributes: attributesOf(observed),
      };
      const parent = propagator.extract(api.ROOT_CONTEXT, request.headers, api.defaultTextMapGetter);
      const span = tracer.startSpan(`${request.method} ${observed.route}`, options, parent);
      if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
      if (!complete) span.setAttribute('error.type', 'aborted');
      span.end(end);
    },
    close: () => Promise.race([provider.shutdown(), delay(FLUSH_TIMEOUT, undefined, { ref: false })]),
  };
}

/** The attributes of OpenTelemetry's semantic conventions for HTTP servers, and those of this service. */
function attributesOf({ request, route, status }: ObservedResponse) {
  const { principal } = request;
  return {
    'http.request.method': request.method,
    'http.route': route,
    'http.response.status_code': status,
    'url.scheme': request.protocol,
    [`${service().prefix}.request_id`]: request.id,
    ...(principal?.kind === 'key' && {
      [`${service().prefix}.key_id`]: String(principal.id),
      [`${service().prefix}.plan`]: principal.plan,
    }),
  };
}
