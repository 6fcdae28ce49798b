import { type DynamicModule, Global, Module } from '@nestjs/common';
import { type Config, settingsProvider } from '../../kernel/config/config.js';
import { HttpModule } from '../../http/core/http.module.js';
import { MetricsConfig } from './metrics.config.js';
import { BuildInfo } from './build-info.js';
import { LogMetrics } from './log-metrics.js';
import { HttpMetrics } from './http-metrics.js';
import { MetricsServer } from './metrics-server.js';
import { Metrics } from './metrics.js';
import { PoolMetrics } from './pool-metrics.js';
import { MetricsController, Scrape } from './scrape.js';
import { TaskMetrics } from './task-metrics.js';

@Global()
@Module({
  imports: [HttpModule],
  providers: [
    settingsProvider(MetricsConfig),
    Metrics,
    HttpMetrics,
    LogMetrics,
    PoolMetrics,
    MetricsServer,
    Scrape,
    TaskMetrics,
  ],
  exports: [Metrics, HttpMetrics, MetricsServer],
})
export class MetricsModule {
  /** `/metrics` on the port of the service, unless `METRICS_PORT` is set. */
  static with(config: Config, component: 'service' | 'worker' = 'service'): DynamicModule {
    const { metricsPort } = config.read(MetricsConfig);
    return {
      module: MetricsModule,
      controllers: metricsPort === undefined ? [MetricsController] : [],
      providers: [
        {
          provide: BuildInfo,
          inject: [Metrics],
          useFactory: (metrics: Metrics) => new BuildInfo(metrics, component),
        },
      ],
      exports: [BuildInfo],
    };
  }
}
