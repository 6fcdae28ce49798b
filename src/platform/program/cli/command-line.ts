// cli/ runs the commands of `petstore`, doctor among them. What a command does belongs to the folder that it
// concerns.

import { Command } from 'commander';
import { USAGE_ERROR } from '../../kernel/config/startup-error.js';
import { SERVICE, VERSION } from '../../kernel/config/service.js';
import { addMigrateCommand } from '../../data/database/migrations/migrate.command.js';
import { CommandDatabase } from '../../data/database/command-database.js';
import type { Application } from '../bootstrap/application.js';
import { declareFeatures } from '../bootstrap/feature.js';
import { addWorkerCommand } from '../bootstrap/worker.command.js';
import { addDoctorCommand } from './doctor.command.js';
import { visible } from '../../kernel/terminal/print.js';

const EXAMPLES = `
Examples:
  petstore keys create --plan pro --name "Zoë's shop"
  petstore keys list --json
  petstore doctor`;

const EXIT_CODES = `
Exit codes:
  0  success
  1  failure: one line on stderr gives the reason
  2  usage error: likewise`;

/** The `petstore` program, with what the features declare. */
export async function commandLine(application: Application): Promise<Command> {
  const features = await application.loadFeatures();
  declareFeatures(features);
  const petstore = new Command('petstore')
    .description(`Manages the ${SERVICE.noun} service: API keys, plans, migrations and checks.`)
    .version(VERSION)
    .addHelpText('after', EXAMPLES)
    .addHelpText('afterAll', EXIT_CODES)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE_ERROR))
    .configureOutput({
      outputError: (text, write) => {
        write(
          `petstore: ${visible(
            text
              .replace(/^error: /, '')
              .replace(/\s*\n\s*/g, ' ')
              .trim(),
          )}\n`,
        );
      },
    });
  const database = new CommandDatabase(application.migrations);
  for (const add of features.flatMap(({ commands = [] }) => commands)) add(petstore, database);
  addWorkerCommand(petstore, application);
  addMigrateCommand(petstore, application.migrations);
  addDoctorCommand(petstore, application);
  return petstore;
}
