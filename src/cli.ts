import { APPLICATION } from './application.js';
import { FEATURES } from './app.module.js';
import { commandLine } from './platform/cli/command-line.js';
import { run } from './platform/bootstrap/run.js';

run(async () => {
  await commandLine(APPLICATION, FEATURES).parseAsync();
});
