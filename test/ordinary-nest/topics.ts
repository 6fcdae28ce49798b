import type { Type } from '@nestjs/common';
import type { Petstore } from '../support/petstore.js';
import { bodies } from './bodies.js';
import { documents } from './document.js';
import { entities } from './entities.js';
import { errors } from './errors.js';
import { idempotent } from './idempotent.js';
import { interceptors } from './interceptors.js';
import { jobs } from './jobs.js';
import { pipes } from './pipes.js';
import { providers } from './providers.js';
import { responses } from './responses.js';
import { streams } from './streams.js';
import { throttling } from './throttling.js';
import { transactions } from './transactions.js';
import { validation } from './validation.js';

export interface Scene {
  readonly petstore: Petstore;
  /** Of an enterprise key with every scope. */
  readonly key: string;
  /** Sends that key with each request. */
  readonly client: ReturnType<Petstore['client']>;
}

/** A user's module, and the tests of what it does. */
export interface Topic {
  readonly name: string;
  readonly module: Type;
  /** @param scene to be called inside a test: the application is started once for all topics */
  readonly tests: (scene: () => Scene) => void;
}

export const topics: readonly Topic[] = [
  bodies,
  documents,
  entities,
  errors,
  idempotent,
  interceptors,
  jobs,
  pipes,
  providers,
  responses,
  streams,
  throttling,
  transactions,
  validation,
];
