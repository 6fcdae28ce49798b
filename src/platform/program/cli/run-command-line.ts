import { run } from '../bootstrap/run.js';
import type { ServiceDefinition } from '../bootstrap/service-definition.js';

/** Runs the command-line program of a service with the arguments of this process. */
export function runCommandLine(definition: ServiceDefinition): void {
  run(async () => {
    const { commandLine } = await import('./command-line.js');
    await (await commandLine(definition)).parseAsync();
  });
}
