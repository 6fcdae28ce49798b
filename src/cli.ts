import { Command } from 'commander';
import { keysCommand } from './auth/keys.command.js';
import { plansCommand } from './auth/plans.command.js';
import { run } from './start/run.js';

run(async () => {
  await new Command('petstore')
    .description('Looks after the API keys of the pet store service.')
    .showHelpAfterError('(petstore --help says more)')
    .addCommand(keysCommand())
    .addCommand(plansCommand())
    .parseAsync();
});
