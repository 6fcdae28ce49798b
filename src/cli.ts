import { commandLine } from './cli/command-line.js';
import { run } from './bootstrap/run.js';

/** Only these commands need the scopes and event types that features declare: loading all features takes half a second. */
const KNOW_FEATURES = ['create', 'update', 'tail'];

// Node.js ignores SIGPIPE, which ends other programs when their reader has enough, such as `head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.kill(process.pid, 'SIGTERM');
  else throw error;
});

run(async () => {
  if (process.argv.some((word) => KNOW_FEATURES.includes(word))) await import('./app.module.js');
  await (await commandLine()).parseAsync();
});
