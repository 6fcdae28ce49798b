import tab from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SERVICE, VERSION } from '../kernel/service.js';
import { addKeysCommand } from './keys/keys.command.js';
import { addPlansCommand } from './keys/plans.command.js';
import { addMigrateCommand } from './migrate.command.js';
import { addDoctorCommand } from './doctor/doctor.command.js';
import { visible } from './print.js';

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

/** The `petstore` program. Commands load their dependencies only when they run. */
export async function commandLine(): Promise<Command> {
  const petstore = new Command('petstore')
    .description(`Manages the ${SERVICE.noun} service: API keys, plans, migrations and checks.`)
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
  for (const add of await otherCommands()) add(petstore);
  addMigrateCommand(petstore);
  addDoctorCommand(petstore);
  const completion = tab(petstore, { completionCommandName: 'completion' }); // last: completes all commands added before it
  petstore.commands
    .find((command) => command.name() === 'completion')
    ?.description('Print a completion script for a shell.')
    .action((shell: string) => {
      // The library's bash script has read-only variables, so a shell that sources it twice must skip the second time.
      if (shell === 'bash') process.stdout.write('if ! declare -F __petstore_complete >/dev/null; then\n');
      completion.setup('petstore', 'petstore', shell);
      if (shell === 'bash') process.stdout.write('fi\n');
    });
  return petstore;
}

type AddCommands = (program: Command) => void;

/** The commands of features: each `<folder>/<name>.command.ts` exports `addCommands`. */
async function otherCommands(): Promise<AddCommands[]> {
  const source = join(import.meta.dirname, '..');
  const folders = (await readdir(source, { withFileTypes: true })).filter(
    (entry) => entry.isDirectory() && entry.name !== basename(import.meta.dirname),
  );
  const files = await Promise.all(
    folders.map(async ({ name }) =>
      (await readdir(join(source, name))).map((file) => join(source, name, file)),
    ),
  );
  const commands = files.flat().filter((file) => /\.command\.[jt]s$/.test(file));
  const modules = commands.map(
    (file) => import(pathToFileURL(file).href) as Promise<{ addCommands: AddCommands }>,
  );
  return (await Promise.all(modules)).map(({ addCommands }) => addCommands);
}
