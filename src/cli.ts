import { commandLine } from './cli/command-line.js';
import { run } from './bootstrap/run.js';

/** These commands know the scopes and the types of event, which features declare. To load those takes half a second. */
const KNOW_FEATURES = ['create', 'update', 'tail'];

run(async () => {
  if (process.argv.some((word) => KNOW_FEATURES.includes(word))) await import('./app.module.js');
  await (await commandLine()).parseAsync();
});
