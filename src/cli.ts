import { commandLine } from './cli/command-line.js';
import { run } from './bootstrap/run.js';

run(async () => {
  await commandLine().parseAsync();
});
