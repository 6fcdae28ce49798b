import type { DynamicModule, Type } from '@nestjs/common';
import { offerPlans, type Plans } from '../../access/plans/plans.js';
import type { Migration } from '../../data/database/migrations/migration-state.js';
import type { Config } from '../../kernel/config/config.js';
import { nameService, type ServiceNames } from '../../kernel/config/service.js';
import type { ParameterOrder } from '../openapi/document/parameter-order.js';
import type { Feature } from './feature.js';

/** What a service hands to the platform, which knows nothing else of it. */
export interface ServiceDefinition extends ServiceNames {
  /** What each plan allows. Data, in the order of documents and of the command line. */
  readonly plans: Plans;
  /** Of the service's own tables. They run together with those of the platform, in the order of their times. */
  readonly migrations: readonly Migration[];
  /** The parameters of released operations, in an order that stays. */
  readonly releasedParameters?: ParameterOrder;
  /** Loads the module of the application, which takes most of a start. */
  readonly load: () => Promise<AppModuleType>;
}

/** The module of the application. */
export interface AppModuleType extends Type {
  /** What it serves, in the order of the document. `petstore` reads what they declare without starting Nest. */
  readonly features: readonly Feature[];
  forRoot(context: AppContext): DynamicModule;
}

/** What the module of the application is made of. */
export interface AppContext {
  readonly service: ServiceDefinition;
  readonly config: Config;
  readonly databaseUrl: string;
  /** Those of the module, and in a test those of the test. */
  readonly features: readonly Feature[];
}

/** Defines the service of this process. Its names are checked when a program starts. */
export function defineService(service: ServiceDefinition): ServiceDefinition {
  nameService(service);
  offerPlans(service.plans);
  return service;
}
