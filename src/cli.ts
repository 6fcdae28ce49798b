import { APPLICATION } from './application.js';
import { commandLine } from './platform/cli/command-line.js';
import { run } from './platform/bootstrap/run.js';

run(async () => {
  const petstore = await commandLine(APPLICATION);
  await petstore.parseAsync();
});
