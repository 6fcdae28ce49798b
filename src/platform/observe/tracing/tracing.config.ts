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
  const collector =
    variables.optional('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ??
    variables.optional('OTEL_EXPORTER_OTLP_ENDPOINT');
  const off =
    variables.optional('OTEL_SDK_DISABLED') === 'true' ||
    variables.optional('OTEL_TRACES_EXPORTER') === 'none';
  if (collector === undefined || off) return false;
  for (const name of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']) {
    variables.oneOf(name, ['http/json'], 'http/json');
  }
  return true;
}
