import type { Command } from 'commander';
import { type Json, print } from '../../json/print.js';
import { StartupError } from '../../config/startup-error.js';
import { resultsTable } from './check-result.js';

/** `petstore doctor` */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Check configuration, database, migrations, Redis and port. Changes nothing.')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nThe exit code is 1 if a check failed. Warnings do not count.')
    .action(doctor);
}

async function doctor({ json }: Json): Promise<void> {
  const { runChecks } = await import('./run-checks.js'); // loads pg and ioredis
  const results = await runChecks();
  print(json, results, () => resultsTable(results));
  const failed = results.filter(({ state }) => state === 'fail').length;
  if (failed > 0) throw new StartupError(`${failed} of ${results.length} checks failed.`);
}
