import { APPLICATION } from './application.js';
import { commandLine } from './platform/program/cli/command-line.js';
import { run } from './platform/program/bootstrap/run.js';

run(async () => {
  const petstore = await commandLine(APPLICATION);
  await petstore.parseAsync();
});
