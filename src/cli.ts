import { commandLine } from './command-line.js';
import { run } from './start/run.js';

run(async () => {
  await commandLine().parseAsync();
});
