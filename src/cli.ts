import { commandLine } from './cli/command-line.js';
import { run } from './bootstrap/run.js';

/** Only these commands need the scopes and event types that features declare: loading all features takes half a second. */
const KNOW_FEATURES = ['create', 'update', 'tail'];

run(async () => {
  if (process.argv.some((word) => KNOW_FEATURES.includes(word))) await import('./app.module.js');
  await (await commandLine()).parseAsync();
});
