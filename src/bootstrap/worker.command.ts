import type { Command } from 'commander';

/** `petstore worker` */
export function addCommands(program: Command): void {
  program
    .command('worker')
    .description(
      'Do background work, such as the delivery of webhooks, until it is stopped. For services with WEBHOOK_WORKER=off.',
    )
    .addHelpText(
      'after',
      '\nIt reads the same variables as the service. METRICS_PORT serves its metrics. Any number may run.',
    )
    .action(async () => {
      const { serve } = await import('./serve.js');
      const { startWorker } = await import('./start-worker.js');
      await serve(startWorker);
    });
}
