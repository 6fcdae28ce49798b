import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express, NextFunction, Request, Response } from 'express';
import { MethodNotAllowed } from '../../http/not-found/route.errors.js';
import { readinessAnswer } from './readiness-answer.js';
import { Readiness } from './readiness.js';

const ALLOWED = ['GET', 'HEAD'];

/** Serves `/health/live` and `/health/ready`, outside `/v1`: without a key, a quota or a version. */
export function setupHealth(app: NestExpressApplication): void {
  const readiness = app.get(Readiness);
  const adapter = app.getHttpAdapter();
  const express: Express = adapter.getInstance();
  express.use('/health', neverStored);
  express
    .route('/health/live')
    // That this is sent is all there is to say about the process.
    .get((_request, response) => adapter.reply(response, { status: 'ok' }, 200) as unknown)
    .all(refuse);
  express
    .route('/health/ready')
    .get(async (_request, response) => {
      const { status, retryAfter, body } = readinessAnswer(await readiness.check());
      if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
      adapter.reply(response, body, status);
    })
    .all(refuse);
}

function neverStored(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', 'no-store');
  next();
}

function refuse({ method, path }: Request, response: Response): never {
  response.setHeader('Allow', ALLOWED.join(', '));
  throw new MethodNotAllowed(method, path, ALLOWED);
}
