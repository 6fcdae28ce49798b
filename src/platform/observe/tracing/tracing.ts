// tracing/ sends a span for each request to OpenTelemetry, and beneath it those of its statements, if an
// endpoint is set.

import type { Span, Tracer } from '@opentelemetry/api';
import type { Request, RequestHandler } from 'express';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { service } from '../../kernel/config/service.js';
import { seconds } from '../../kernel/clock/duration.js';
import type { ObservedResponse, ResponseObserver } from '../../http/core/middleware/response-observer.js';

const FLUSH_TIMEOUT = seconds(1.5);

/** Sends spans to an OpenTelemetry collector. */
export interface Tracing {
  /** Begins the span of a request, in which all that follows runs. */
  readonly begin: RequestHandler;
  /** Ends the span of a request. */
  readonly record: ResponseObserver;
  /** Sends the remaining spans, with a time limit for the collector. */
  close(): Promise<void>;
}

let started: Promise<Tracing> | undefined;
let tracer: Tracer | undefined;
const spans = new WeakMap<Request, Span>();

/**
 * Starts tracing, once in a process, before anything else loads `pg` or `ioredis`: their instrumentations
 * replace methods as these are loaded. The libraries of OpenTelemetry read their configuration from environment
 * variables. They are loaded only here to save memory and time.
 */
export const startTracing = (): Promise<Tracing> => (started ??= start());

async function start(): Promise<Tracing> {
  const [api, sdk, { OTLPTraceExporter }, resources, { PgInstrumentation }, { IORedisInstrumentation }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/instrumentation-pg'),
      import('@opentelemetry/instrumentation-ioredis'),
    ]);
  const named = resources.resourceFromAttributes({ 'service.name': service().prefix });
  const provider = new sdk.NodeTracerProvider({
    resource: named.merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register(); // for the spans of modules, too
  const ownTracer = (tracer = provider.getTracer(service().prefix));
  // Polling has no parent. The arguments of a Redis command contain addresses.
  new PgInstrumentation({ requireParentSpan: true });
  new IORedisInstrumentation({ requireParentSpan: true, dbStatementSerializer: (command) => command });
  const require = createRequire(import.meta.url);
  for (const library of ['pg', 'ioredis']) require(library); // an `import` would not pass the instrumentations
  return {
    begin: (request, _response, next) => {
      const caller = api.propagation.extract(api.ROOT_CONTEXT, request.headers);
      const span = ownTracer.startSpan(request.method, { kind: api.SpanKind.SERVER }, caller);
      spans.set(request, span);
      api.context.with(api.trace.setSpan(caller, span), next);
    },
    record: (observed) => {
      const { status, complete, request, route } = observed;
      const span = spans.get(request);
      if (!span?.isRecording()) return;
      span.updateName(`${request.method} ${route}`).setAttributes(attributesOf(observed));
      if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
      if (!complete) span.setAttribute('error.type', 'aborted');
      span.end();
    },
    close: () => Promise.race([provider.shutdown(), delay(FLUSH_TIMEOUT, undefined, { ref: false })]),
  };
}

/** The trace of a request, if its span is sent. */
export function traceIdOf(request: Request): string | undefined {
  const span = spans.get(request);
  return span?.isRecording() ? span.spanContext().traceId : undefined;
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
