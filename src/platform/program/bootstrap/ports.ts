import type { Config } from '../../kernel/config/config.js';
import { HttpConfig } from '../../http/core/http.config.js';
import type { ListenAddress } from '../../http/core/listen-on.js';
import { MetricsConfig } from '../../observe/metrics/metrics.config.js';

/** Where a process of the service listens. A worker has only `METRICS_PORT`. */
export function listenAddresses(config: Config): readonly ListenAddress[] {
  const { port, host } = config.inspect(HttpConfig);
  return [{ port, host, variable: 'PORT' }, ...metricsAddresses(config)];
}

export function metricsAddresses(config: Config): readonly ListenAddress[] {
  const { metricsPort } = config.inspect(MetricsConfig);
  const { host } = config.inspect(HttpConfig);
  return metricsPort === undefined ? [] : [{ port: metricsPort, host, variable: 'METRICS_PORT' }];
}
