import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from '../../app.module.js';
import { RESPONSE_HOOKS, setupApp } from '../../app.setup.js';
import type { Config } from '../config/config.js';
import { HttpConfig } from '../http/http.config.js';
import { JsonAdapter } from '../http/adapter/json.adapter.js';
import { Logger } from '../logging/logger.js';
import { startLogger } from './start-logger.js';

export { close } from './close.js';

/** Creates the production application. It does not listen yet. */
export async function createApp(config: Config, databaseUrl: string): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.with(config, databaseUrl),
    new JsonAdapter(config.read(HttpConfig), RESPONSE_HOOKS),
    {
      logger: startLogger,
      bufferLogs: true,
      bodyParser: false,
      abortOnError: false,
    },
  );
  app.useLogger(app.get(Logger));
  return setupApp(app);
}
