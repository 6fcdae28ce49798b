import { createRequire } from 'node:module';
import * as migrations from '../migrations/index.js';
import { PLANS } from './plans.js';
import { defineService } from './platform/program/index.js';
import { RELEASED_PARAMETERS } from './released-parameters.js';

const { version } = createRequire(import.meta.url)('#package.json') as { version: string };

/** This service, as its programs start it. */
export const SERVICE = defineService({
  title: 'Pet Store',
  noun: 'pet store',
  description: 'The inventory of a pet store: list pets, add one, see what was ordered.',
  firstRequest: '/v1/pets?limit=3',
  prefix: 'petstore',
  program: 'petstore',
  version,
  interfaceVersion: '1.0.0',
  license: 'MIT',
  plans: PLANS,
  migrations: Object.values(migrations),
  releasedParameters: RELEASED_PARAMETERS,
  load: async () => (await import('./app.module.js')).AppModule,
});
