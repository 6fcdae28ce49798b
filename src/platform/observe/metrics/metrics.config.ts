import type { Variables } from '../../kernel/config/variables.js';
import { HttpConfig } from '../../http/core/http.config.js';

export class MetricsConfig {
  /** Separate TCP port for `/metrics`, 0 for any free one; by default the port of the service. */
  readonly metricsPort: number | undefined;

  constructor(variables: Variables) {
    this.metricsPort = metricsPort(variables);
  }
}

function metricsPort(variables: Variables): number | undefined {
  const value = variables.optional('METRICS_PORT');
  if (value === undefined) return undefined;
  const own = variables.wholeNumber('METRICS_PORT', { min: 0, max: 65_535, fallback: 0 });
  if (own === 0 || own !== new HttpConfig(variables).port) return own;
  return variables.reject<number | undefined>('METRICS_PORT', value, 'a port other than PORT', undefined);
}
