import { Command } from 'commander';
import { addKeysCommand } from './auth/keys.command.js';
import { addPlansCommand } from './auth/plans.command.js';
import { addUsageCommand } from './rate-limit/usage.command.js';
import { run } from './start/run.js';

run(async () => {
  const petstore = new Command('petstore')
    .description('Looks after the API keys of the pet store service.')
    .addHelpText('after', '\nEvery failure is one line on stderr and exit code 1.')
    .configureOutput({
      outputError: (text, write) => {
        write(
          `petstore: ${text
            .replace(/^error: /, '')
            .replace(/\s*\n\s*/g, ' ')
            .trim()}\n`,
        );
      },
    });
  addUsageCommand(addKeysCommand(petstore));
  addPlansCommand(petstore);
  await petstore.parseAsync();
});
