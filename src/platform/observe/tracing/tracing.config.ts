import type { Variables } from '../../kernel/config/variables.js';

export class TracingConfig {
  /** Whether to send a span for each request to an OpenTelemetry collector. */
  readonly tracing: boolean;

  constructor(variables: Variables) {
    this.tracing = tracing(variables);
  }
}

/**
 * Whether OpenTelemetry's standard variables set a collector and do not disable tracing. OpenTelemetry's
 * libraries read the other `OTEL_…` variables.
 */
function tracing(variables: Variables): boolean {
  // OpenTelemetry ignores the case of booleans.
  if (variables.optional('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return false;
  if (variables.oneOf('OTEL_TRACES_EXPORTER', ['otlp', 'none'], 'otlp') === 'none') return false;
  const name = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'].find(
    (endpoint) => variables.optional(endpoint) !== undefined,
  );
  if (name === undefined) return false;
  variables.url(name, ['http:', 'https:']);
  for (const protocol of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']) {
    variables.oneOf(protocol, ['http/json'], 'http/json');
  }
  return true;
}
