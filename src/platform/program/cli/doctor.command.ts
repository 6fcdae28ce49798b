import type { Command } from 'commander';
import type { ServiceDefinition } from '../bootstrap/service-definition.js';
import { StartupError } from '../../kernel/config/startup-error.js';
import { type Json, print, table } from '../../kernel/terminal/print.js';
import type { CheckResult } from '../../kernel/config/check-result.js';

/** `petstore doctor` */
export function addDoctorCommand(program: Command, application: ServiceDefinition): void {
  program
    .command('doctor')
    .description(
      'Check configuration, database, migrations, Redis and port. Changes nothing but counters in Redis that last a second.',
    )
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nThe exit code is 1 if a check failed. Warnings do not count.')
    .action((options: Json) => doctor(application, options));
}

async function doctor(application: ServiceDefinition, { json }: Json): Promise<void> {
  const { runChecks } = await import('./doctor.checks.js'); // loads pg and ioredis
  const results = await runChecks(application);
  print(json, results, () => resultsTable(results));
  const failed = results.filter(({ state }) => state === 'fail').length;
  if (failed > 0) throw new StartupError(`${failed} of ${results.length} checks failed.`);
  // A frozen server leaves its connection open. What cannot be written ends the process elsewhere, with 1.
  process.stdout.write('', (error) => {
    if (!error) process.exit();
  });
}

/** A table of the results, with the advice below each. */
const resultsTable = (results: readonly CheckResult[]): string =>
  table(
    ['STATE', 'CHECK', 'FINDING'],
    results.flatMap(({ state, check, finding, advice }) => [
      [state, check, finding],
      ...(advice === null ? [] : [['', '', `→ ${advice}`]]),
    ]),
  );
