import type { Tracer } from '@opentelemetry/api';
import { resultWithin, seconds } from '../../kernel/clock/duration.js';
import type { ResponseObserver } from '../../http/middleware/response-observer.js';

const FLUSH_TIMEOUT = seconds(1.5);

/** Sends a span of each request to an OpenTelemetry collector. */
export interface Tracing {
  readonly record: ResponseObserver;
  /** Sends the remaining spans, with a time limit for the collector. */
  close(): Promise<void>;
}

/**
 * Configured by the environment variables of OpenTelemetry, which its libraries read. They are loaded only here: they cost
 * memory and time.
 */
export async function startTracing(): Promise<Tracing> {
  const [sdk, { OTLPTraceExporter }, resources, { recordSpan }] = await Promise.all([
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('./span.js'),
  ]);
  const named = resources.resourceFromAttributes({ 'service.name': 'petstore' });
  const provider = new sdk.BasicTracerProvider({
    resource: named.merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer: Tracer = provider.getTracer('petstore');
  return {
    record: (observed) => {
      recordSpan(tracer, observed);
    },
    close: () => resultWithin(FLUSH_TIMEOUT, provider.shutdown()),
  };
}
