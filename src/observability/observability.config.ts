import { HttpConfig } from '../http/http.config.js';
import type { Variables } from '../kernel/config/variables.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export class ObservabilityConfig {
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Separate TCP port for `/metrics`, 0 for any free one; by default the port of the service. */
  readonly metricsPort: number | undefined;
  /** Whether to send a span for each request to an OpenTelemetry collector. */
  readonly tracing: boolean;

  constructor(variables: Variables) {
    this.logLevel = variables.oneOf('LOG_LEVEL', LOG_LEVELS, 'info');
    this.metricsPort = metricsPort(variables);
    this.tracing = tracing(variables);
  }
}

function metricsPort(variables: Variables): number | undefined {
  const value = variables.optional('METRICS_PORT');
  if (value === undefined) return undefined;
  const own = variables.wholeNumber('METRICS_PORT', { min: 0, max: 65_535, fallback: 0 });
  if (own === 0 || own !== new HttpConfig(variables).port) return own;
  return variables.reject<number | undefined>('METRICS_PORT', value, 'a port other than PORT', undefined);
}

/**
 * Whether OpenTelemetry's standard variables set a collector and do not disable tracing. OpenTelemetry's libraries read the
 * other `OTEL_…` variables.
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
