import tab from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { VERSION } from '../kernel/version.js';
import { addKeysCommand } from './keys/keys.command.js';
import { addPlansCommand } from './keys/plans.command.js';
import { addMigrateCommand } from './migrate.command.js';
import { addDoctorCommand } from './doctor/doctor.command.js';
import { addUsageCommand } from './usage.command.js';
import { visible } from './visible.js';

const EXAMPLES = `
Examples:
  petstore keys create --plan pro --name "Zoë's shop"
  petstore keys list --json
  petstore doctor
  source <(petstore completion bash)`;

const EXIT_CODES = `
Exit codes:
  0  done
  1  not done: one line on stderr says why`;

/** The `petstore` program. A command loads what it needs when it runs. */
export function commandLine(): Command {
  const petstore = new Command('petstore')
    .description('Looks after the pet store service: its API keys, and what it needs to run.')
    .version(VERSION)
    .addHelpText('after', EXAMPLES)
    .addHelpText('afterAll', EXIT_CODES)
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
  addUsageCommand(addKeysCommand(petstore));
  addPlansCommand(petstore);
  addMigrateCommand(petstore);
  addDoctorCommand(petstore);
  tab(petstore, { completionCommandName: 'completion' }); // last: it completes the commands that are there
  return petstore;
}
