import { APPLICATION } from './application.js';
import { FEATURES } from './app.module.js';
import { commandLine } from './platform/cli/command-line.js';
import { run } from './platform/bootstrap/run.js';

// Node.js ignores SIGPIPE, which ends other programs when their reader has enough, such as `head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.kill(process.pid, 'SIGTERM');
  else throw error;
});

run(async () => {
  await commandLine(APPLICATION, FEATURES).parseAsync();
});
