import type { Command } from 'commander';
import { print } from '../keys/print.js';
import { StartupError } from '../../kernel/errors/common.errors.js';
import { findingsTable } from './findings-table.js';

/** `petstore doctor` */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Check configuration, database, migrations, Redis and port. Changes nothing.')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nThe exit code is 0 when nothing failed; a warning is no failure.')
    .action(examine);
}

async function examine({ json }: { json?: true }): Promise<void> {
  const { examine } = await import('./examine.js'); // brings PostgreSQL and Redis along
  const findings = await examine();
  print(json, findings, () => findingsTable(findings));
  const failed = findings.filter(({ state }) => state === 'fail').length;
  if (failed > 0) throw new StartupError(`${failed} of ${findings.length} checks failed.`);
}
