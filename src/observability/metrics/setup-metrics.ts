import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import { Config } from '../../kernel/config/config.js';
import { Metrics } from './metrics.js';
import { serveMetrics } from './serve-metrics.js';

/** Serves `/metrics` outside `/v1`, without a key, a quota or a version; unless it has a port of its own. */
export function setupMetrics(app: NestExpressApplication): void {
  if (app.get(Config).metricsPort !== undefined) return;
  const express: Express = app.getHttpAdapter().getInstance();
  express.get('/metrics', serveMetrics(app.get(Metrics).registry));
}
