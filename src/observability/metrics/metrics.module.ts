import { Global, Module } from '@nestjs/common';
import { HttpMetrics } from './http-metrics.js';
import { MetricsServer } from './metrics-server.js';
import { Metrics } from './metrics.js';
import { PoolMetrics } from './pool-metrics.js';

@Global()
@Module({
  providers: [Metrics, HttpMetrics, PoolMetrics, MetricsServer],
  exports: [Metrics, HttpMetrics, MetricsServer],
})
export class MetricsModule {}
