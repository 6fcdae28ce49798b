/** What the programs of a service need: `main.ts`, `cli.ts` and what defines the service. */
export { defineService, type ServiceDefinition } from './bootstrap/service-definition.js';
export { runService } from './bootstrap/start.js';
export { runCommandLine } from './cli/run-command-line.js';
export type { ParameterOrder } from './openapi/document/parameter-order.js';
