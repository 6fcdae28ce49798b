import { VersioningType } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { handleClientErrors } from './http/adapter/client-errors.js';
import { limitTransport } from './http/adapter/transport-limits.js';
import { noStore } from './http/conditional/etag.js';
import { HttpConfig } from './http/http.config.js';
import { setupCors } from './http/middleware/cors.js';
import { originForm, requestContext, requestId, undecodablePath } from './http/middleware/request-context.js';
import { observeResponses } from './http/middleware/response-observer.js';
import { provideValidators } from './http/validation/validators.js';
import { Clock } from './kernel/clock/clock.js';
import { StartupError } from './kernel/errors/common.errors.js';
import { RequestLog } from './observability/logging/request-log.js';
import { HttpMetrics } from './observability/metrics/http-metrics.js';
import type { Tracing } from './observability/tracing/tracing.js';
import { TRACING } from './observability/tracing/tracing.module.js';
import { OpenApiDocument } from './openapi/document/openapi-document.js';
import { clientErrorHeaders } from './rate-limit/rate-limit.responder.js';

/** Configures the application, in production and in tests. */
export function setupApp(app: NestExpressApplication): NestExpressApplication {
  refuseGateways(app);
  const config = app.get(HttpConfig);
  app.set('trust proxy', config.trustProxy);
  app.disable('x-powered-by');
  app.disable('etag');
  app.enableVersioning({ type: VersioningType.URI });
  provideValidators(app);
  const server = app.getHttpServer();
  limitTransport(server, config.maxConnections);
  handleClientErrors(server, clientErrorHeaders(app));
  const tracing = app.get<Tracing | null>(TRACING);
  const observers = [
    app.get(RequestLog).record,
    app.get(HttpMetrics).record,
    ...(tracing ? [tracing.record] : []),
  ];
  const observe = observeResponses(app.get(Clock), observers);
  app.use(requestContext(originForm, requestId, noStore, observe, undecodablePath));
  setupCors(app, config.corsOrigins);
  app.get(OpenApiDocument).describe(app);
  return app;
}

/** Set by `@WebSocketGateway()` of @nestjs/websockets. */
const IS_GATEWAY = 'websockets:is_gateway';

/** @throws StartupError for a WebSocket gateway: Nest does not run global guards for its messages */
function refuseGateways(app: NestExpressApplication): void {
  const isGateway = (type: unknown) => typeof type === 'function' && Reflect.hasMetadata(IS_GATEWAY, type);
  const gateway = app
    .get(DiscoveryService)
    .getProviders()
    .find(({ metatype }) => isGateway(metatype));
  if (!gateway) return;
  throw new StartupError(
    `${String(gateway.name)} is a WebSocket gateway, which this service does not support: its messages would bypass API keys ` +
      'and rate limits. Use server-sent events (@Sse()) or a separate service.',
  );
}
