import type { Command } from 'commander';
import type { ServiceDefinition } from './service-definition.js';

/** `petstore worker` */
export function addWorkerCommand(program: Command, application: ServiceDefinition): void {
  program
    .command('worker')
    .description(
      'Deliver webhooks and do other background work until stopped. For services with WEBHOOK_WORKER=off.',
    )
    .addHelpText(
      'after',
      '\nIt reads the same variables as the service, and serves its metrics on METRICS_PORT. You can run several.',
    )
    .action(async () => {
      const { serve } = await import('./serve.js');
      const { startWorker } = await import('./start.js');
      await serve((onEnd) => startWorker(application, onEnd));
    });
}
