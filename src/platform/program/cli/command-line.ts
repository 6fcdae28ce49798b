// cli/ runs the commands of `petstore`, doctor among them. What a command does belongs to the folder that it
// concerns.

import { Command } from 'commander';
import { USAGE_ERROR } from '../../kernel/config/startup-error.js';
import { programName, service } from '../../kernel/config/service.js';
import { addDatabaseCommand } from '../../data/database/activity/database.command.js';
import { addMigrateCommand } from '../../data/database/migrations/migrate.command.js';
import { CommandDatabase } from '../../data/database/command-database.js';
import { migrationsOf } from '../bootstrap/migrations.js';
import type { ServiceDefinition } from '../bootstrap/service-definition.js';
import { declareFeatures } from '../bootstrap/feature.js';
import { addWorkerCommand } from '../bootstrap/worker.command.js';
import { addDoctorCommand } from './doctor.command.js';
import { visible } from '../../kernel/terminal/print.js';
import { planNames } from '../../access/plans/plans.js';

const examples = (): string => `
Examples:
  ${service().program} keys create --plan ${planNames()[0] ?? ''} --name "Zoë's shop"
  ${service().program} keys list --json
  ${service().program} doctor`;

const EXIT_CODES = `
Exit codes:
  0  success
  1  failure: one line on stderr gives the reason
  2  usage error: likewise`;

/** The `petstore` program, with what the features declare. */
export async function commandLine(definition: ServiceDefinition): Promise<Command> {
  const { features } = await definition.load();
  declareFeatures(features);
  const migrations = migrationsOf(definition);
  const program = new Command(service().program)
    .description(`Manages the ${service().noun}: API keys, plans, migrations and checks.`)
    .version(service().version)
    .addHelpText('after', examples())
    .addHelpText('afterAll', EXIT_CODES)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE_ERROR))
    .configureOutput({
      outputError: (text, write) => {
        write(
          `${programName()}: ${visible(
            text
              .replace(/^error: /, '')
              .replace(/\s*\n\s*/g, ' ')
              .trim(),
          )}\n`,
        );
      },
    });
  const database = new CommandDatabase(migrations);
  for (const add of features.flatMap(({ commands = [] }) => commands)) add(program, database);
  addWorkerCommand(program, definition);
  addMigrateCommand(program, migrations);
  addDatabaseCommand(program);
  addDoctorCommand(program, definition);
  refuseRepeated(program);
  return program.configureHelp({ sortSubcommands: true }); // only these: `keys` has an order of its own
}

/** Otherwise the last value would count, also where the option takes a list. */
function refuseRepeated(command: Command): void {
  for (const option of command.options.filter(({ required, optional }) => required || optional)) {
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`option '${option.flags}' must be given once`);
      isGiven = true;
    });
  }
  command.commands.forEach(refuseRepeated);
}
