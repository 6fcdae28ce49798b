#!/usr/bin/env node
// petstore-platform: the commands of somebody who writes a service.
import '../../bin/node-version.cjs'; // first: it ends the process on a Node.js that cannot load the rest

const COMMANDS = {
  new: ['begins a service in a new folder', './new.mjs'],
  generate: ['writes a module with its migration and its tests', '../generators/generate.mjs'],
  migration: [
    'writes a migration for the difference between the entities and the tables',
    '../scripts/migration.mjs',
  ],
  dev: ['starts the service, and restarts it after each save', '../scripts/dev.mjs'],
  test: ['builds, and runs the tests, or those with the given texts in their paths', './test.mjs'],
};

const [name] = process.argv.splice(2, 1);
const command = COMMANDS[name];
if (command) await import(new URL(command[1], import.meta.url).href);
else {
  const lines = Object.entries(COMMANDS).map(([each, [does]]) => `  ${each.padEnd(10)} ${does}`);
  const usage = `petstore-platform <command>, in the folder of a service:\n\n${lines.join('\n')}\n`;
  if (name === '--help') console.log(usage);
  else {
    console.error(usage);
    process.exitCode = 2;
  }
}
