import type { Command } from 'commander';
import { bashCompletion, INSTALL } from './bash.js';

/** `petstore completion ...` */
export function addCompletionCommand(program: Command): void {
  const completion = program
    .command('completion')
    .description('Completion of commands and options with the Tab key.');
  completion
    .command('bash')
    .description('Print the script for bash.')
    .addHelpText('after', `\nTo install it:\n  ${INSTALL}`)
    .action(() => {
      process.stdout.write(bashCompletion(program));
    });
}
