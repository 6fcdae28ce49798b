// tracing/ sends a span for each request to OpenTelemetry, and beneath it those of its statements, if an
// endpoint is set.

import type { Attributes, Span, SpanKind, SpanStatusCode, Tracer } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import type { Request, RequestHandler } from 'express';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { service } from '../../kernel/config/service.js';
import { seconds } from '../../kernel/clock/duration.js';
import type { ObservedResponse, ResponseObserver } from '../../http/core/middleware/response-observer.js';

/** Of `@opentelemetry/api`, which may not be loaded. */
const CLIENT: SpanKind.CLIENT = 2;
const ERROR: SpanStatusCode.ERROR = 2;

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

let tracer: Tracer | undefined;
const spans = new WeakMap<Request, Span>();

/**
 * Starts tracing, once in a process. The libraries of OpenTelemetry read their configuration from environment
 * variables. They are loaded only here to save memory and time.
 */
export async function startTracing(): Promise<Tracing> {
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
    spanProcessors: [
      { ...NO_PROCESSOR, onEnd: withoutMessage },
      new sdk.BatchSpanProcessor(new OTLPTraceExporter()),
    ],
  });
  provider.register(); // for the spans of modules, too
  const ownTracer = (tracer = provider.getTracer(service().prefix));
  // Polling has no parent. The arguments of a Redis command contain addresses.
  new PgInstrumentation({ requireParentSpan: true });
  new IORedisInstrumentation({ requireParentSpan: true, dbStatementSerializer: (command) => command });
  instrument();
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

/**
 * The instrumentations replace methods of prototypes when a library passes `require`, loaded before or not.
 * What is imported does not pass it.
 */
function instrument(): void {
  const require = createRequire(import.meta.url);
  require('pg');
  createRequire(require.resolve('pg'))('pg-pool'); // which only `pg` depends on
  require('ioredis');
}

const NO_PROCESSOR = {
  onStart: () => undefined,
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};

/** The message of an error of PostgreSQL contains values of the request. */
function withoutMessage({ kind, status }: ReadableSpan): void {
  if (kind === CLIENT) delete status.message;
}

/**
 * Runs work in a span of its own, beneath the one in which it is called. Without a collector it just runs it.
 * @param attributes nothing that the log omits, such as an address
 */
export async function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: (span?: Span) => Promise<T>,
): Promise<T> {
  if (!tracer) return work();
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
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
