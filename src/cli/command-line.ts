import tab from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { VERSION } from '../kernel/version.js';
import { addKeysCommand } from './keys/keys.command.js';
import { addPlansCommand } from './keys/plans.command.js';
import { addMigrateCommand } from './migrate.command.js';
import { addDoctorCommand } from './doctor/doctor.command.js';
import { addEventsCommand } from './events/events.command.js';
import { visible } from './print.js';
import { addWebhooksCommand } from './webhooks/webhooks.command.js';
import { addWorkerCommand } from './worker.command.js';

const EXAMPLES = `
Examples:
  petstore keys create --plan pro --name "Zoë's shop"
  petstore keys list --json
  petstore doctor
  source <(petstore completion bash)`;

const EXIT_CODES = `
Exit codes:
  0  success
  1  failure: one line on stderr gives the reason`;

/** The `petstore` program. A command loads its dependencies when it runs. */
export function commandLine(): Command {
  const petstore = new Command('petstore')
    .description('Manages the pet store service: API keys, plans, migrations and checks.')
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
  addKeysCommand(petstore);
  addPlansCommand(petstore);
  addWebhooksCommand(petstore);
  addEventsCommand(petstore);
  addWorkerCommand(petstore);
  addMigrateCommand(petstore);
  addDoctorCommand(petstore);
  tab(petstore, { completionCommandName: 'completion' }); // last: it completes the commands added before
  return petstore;
}
