import type { Variables } from './variables.js';

/**
 * Whether the service sends spans, by OpenTelemetry's standard variables: as soon as they name a collector, unless they
 * switch it off. OpenTelemetry's libraries read the other `OTEL_…` variables.
 */
export function tracing(variables: Variables): boolean {
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
