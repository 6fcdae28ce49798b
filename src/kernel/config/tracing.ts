import { type Environment, oneOf, optional } from './variables.js';

/**
 * Whether spans are sent, by OpenTelemetry's standard variables: as soon as a collector is named, unless switched
 * off. The other `OTEL_…` variables are read by its libraries. @throws StartupError for a protocol we do not speak.
 */
export function tracing(env: Environment): boolean {
  const collector =
    optional(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? optional(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const off =
    optional(env, 'OTEL_SDK_DISABLED') === 'true' || optional(env, 'OTEL_TRACES_EXPORTER') === 'none';
  if (collector === undefined || off) return false;
  for (const name of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']) {
    oneOf(env, name, ['http/json'], 'http/json');
  }
  return true;
}
