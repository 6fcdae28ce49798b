import { VersioningType } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { handleClientErrors } from './platform/http/adapter/client-errors.js';
import { limitTransport } from './platform/http/adapter/transport-limits.js';
import { isNotModified, noStore } from './platform/conditional/etag.js';
import { addPageHeaders } from './platform/pagination/page.js';
import type { ResponseHooks } from './platform/http/adapter/response-hooks.js';
import { HttpConfig } from './platform/http/http.config.js';
import { setupCors } from './platform/http/middleware/cors.js';
import { requestContext, requestId, undecodablePath } from './platform/http/middleware/request-context.js';
import { observeResponses } from './platform/http/middleware/response-observer.js';
import { Clock } from './platform/clock/clock.js';
import { RequestLog } from './platform/logging/request-log.js';
import { HttpMetrics } from './platform/metrics/http-metrics.js';
import type { Tracing } from './platform/tracing/tracing.js';
import { TRACING } from './platform/tracing/tracing.module.js';
import { setupSwaggerUi } from './platform/openapi/swagger-ui/swagger-ui.js';
import { ClientTurns } from './platform/rate-limit/client-turns.js';
import { clientErrorHeaders } from './platform/rate-limit/rate-limit.headers.js';

/** `Link` of pages, `ETag` and 304. */
export const RESPONSE_HOOKS: ResponseHooks = { addHeaders: addPageHeaders, isNotModified };

/** Configures the application, in production and in tests. */
export function setupApp(app: NestExpressApplication): NestExpressApplication {
  const config = app.get(HttpConfig);
  app.set('trust proxy', config.trustProxy);
  app.disable('x-powered-by');
  app.disable('etag');
  app.enableVersioning({ type: VersioningType.URI });
  const server = app.getHttpServer();
  limitTransport(server, config.maxConnections);
  handleClientErrors(server, clientErrorHeaders(app));
  const tracing = app.get<Tracing | null>(TRACING);
  const observers = [
    app.get(RequestLog).record,
    app.get(HttpMetrics).record,
    app.get(ClientTurns).record,
    ...(tracing ? [tracing.record] : []),
  ];
  const observe = observeResponses(app.get(Clock), observers);
  app.use(requestContext(requestId, noStore, observe, undecodablePath));
  setupCors(app, config.corsOrigins);
  setupSwaggerUi(app);
  return app;
}
