import { VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { ServiceDefinition } from './service-definition.js';
import { startLogger } from './start-logger.js';
import type { Config } from '../../kernel/config/config.js';
import { handleClientErrors } from '../../http/core/adapter/client-errors.js';
import { limitTransport } from '../../http/core/adapter/transport-limits.js';
import {
  addLocation,
  addResourceTag,
  addValidators,
  isNotModified,
  setNoStore,
} from '../../http/conditional/response-headers.js';
import { addPageHeaders } from '../../http/pagination/page.js';
import { JsonAdapter, type ResponseHooks } from '../../http/core/adapter/json.adapter.js';
import { HttpConfig } from '../../http/core/http.config.js';
import { corsHeadersFor, setupCors } from '../../http/core/middleware/cors.js';
import {
  beforeRoutes,
  replaceImpossiblePath,
  setRequestId,
} from '../../http/core/middleware/before-routes.js';
import { ignoreLongNegotiation } from '../../http/core/middleware/negotiation.js';
import { observeResponses } from '../../http/core/middleware/response-observer.js';
import { Clock } from '../../kernel/clock/clock.js';
import { Logger } from '../../observe/logging/logger.js';
import { RequestLog } from '../../observe/logging/request-log.js';
import { HttpMetrics } from '../../observe/metrics/http-metrics.js';
import type { Tracing } from '../../observe/tracing/tracing.js';
import { TRACING } from '../../observe/tracing/tracing.module.js';
import { assertAllDeclared } from '../../writes/unit-of-work/event-type.js';
import { OpenApiDocument } from '../openapi/document/openapi-document.js';
import { setupSwaggerUi } from '../openapi/swagger-ui/swagger-ui.js';
import { ClientSlots } from '../../access/rate-limit/client-slots.js';
import { clientErrorHeaders } from '../../access/rate-limit/rate-limit.headers.js';

/** `Link` of pages, `Location`, `ETag` and 304. */
const RESPONSE_HOOKS: ResponseHooks = {
  addHeaders(response, result, base) {
    addPageHeaders(response, result, base);
    addLocation(response, result);
  },
  addTags(response, text) {
    addResourceTag(response, text);
    addValidators(response, text);
  },
  isNotModified,
};

/**
 * Creates the production application of a service, with what Nest sets up outside modules. It does not listen
 * yet.
 * @throws StartupError if an event type exists that no module lists
 */
export async function createApp(
  service: ServiceDefinition,
  config: Config,
  databaseUrl: string,
): Promise<NestExpressApplication> {
  const module = await service.load();
  const root = module.forRoot({ service, config, databaseUrl, features: module.features });
  assertAllDeclared(); // not in a test, whose process has the types of other suites
  const app = await NestFactory.create<NestExpressApplication>(root, newAdapter(config), {
    logger: startLogger,
    bufferLogs: true,
    bodyParser: false,
    abortOnError: false,
  });
  app.useLogger(app.get(Logger));
  setupApp(app);
  app.get(OpenApiDocument).describe(); // before it listens
  return app;
}

export const newAdapter = (config: Config): JsonAdapter =>
  new JsonAdapter(config.read(HttpConfig), RESPONSE_HOOKS);

/** Configures the application, in production and in tests. */
export function setupApp(app: NestExpressApplication): NestExpressApplication {
  const config = app.get(HttpConfig);
  app.set('trust proxy', config.trustProxy);
  app.disable('x-powered-by');
  app.disable('etag');
  app.enableVersioning({ type: VersioningType.URI });
  const server = app.getHttpServer();
  limitTransport(server, config);
  const quotaHeaders = clientErrorHeaders(app);
  handleClientErrors(
    server,
    async (socket, packet) =>
      new Map([...(await quotaHeaders(socket)), ...corsHeadersFor(packet, config.corsOrigins)]),
  );
  const tracing = app.get<Tracing | null>(TRACING);
  const log = app.get(RequestLog);
  const observers = [
    log.record,
    app.get(HttpMetrics).record,
    app.get(ClientSlots).releaseAfterClose,
    ...(tracing ? [tracing.record] : []),
  ];
  const observe = observeResponses(app.get(Clock), observers);
  if (tracing) app.use(tracing.begin);
  app.use(
    beforeRoutes(
      setRequestId,
      setNoStore,
      log.keepAddress,
      observe,
      replaceImpossiblePath,
      ignoreLongNegotiation,
    ),
  );
  app.use(app.get(ClientSlots).outsideApi);
  setupCors(app, config);
  app.get(OpenApiDocument).isOf(app);
  setupSwaggerUi(app);
  return app;
}
