import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import { Metrics } from './metrics.js';

/** Serves `/metrics` in Prometheus' text format, outside `/v1`: without a key, a quota or a version. */
export function setupMetrics(app: NestExpressApplication): void {
  const { registry } = app.get(Metrics);
  const express: Express = app.getHttpAdapter().getInstance();
  express.get('/metrics', async (_request, response) => {
    response.setHeader('Content-Type', registry.contentType);
    response.end(await registry.metrics());
  });
}
