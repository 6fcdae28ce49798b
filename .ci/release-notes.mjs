#!/usr/bin/env node
// Prints the section of CHANGELOG.md for the version in package.json. Fails unless the tag, if it is given as argument, the clients and
// the newest release in the changelog have that version too. The version of the interface in the document is another one.
import { existsSync, readFileSync } from 'node:fs';

const at = (path) => new URL(`../${path}`, import.meta.url);
const read = (path) => readFileSync(at(path), 'utf8');
const { version } = JSON.parse(read('package.json'));
const [tag = `v${version}`] = process.argv.slice(2);

const named = {
  'the tag': tag.replace(/^v/, ''),
  'package-lock.json': JSON.parse(read('package-lock.json')).version,
  // Another service made from this one may have removed them.
  ...(existsSync(at('clients')) && {
    'clients/typescript': JSON.parse(read('clients/typescript/package.json')).version,
    'clients/python': /^VERSION = "(.*)"$/m.exec(read('clients/python/src/petstore/version.py'))?.[1],
  }),
  'CHANGELOG.md': /^## \[(\d.*?)\] - \d{4}-\d\d-\d\d$/m.exec(read('CHANGELOG.md'))?.[1],
};
const others = Object.entries(named).filter(([, one]) => one !== version);
if (others.length > 0) {
  for (const [where, one] of others) console.error(`package.json says ${version}, ${where} ${one}.`);
  process.exit(1);
}
const [, section = ''] = read('CHANGELOG.md').split(`## [${version}]`);
console.log(section.slice(section.indexOf('\n')).split(/^## /m)[0].trim());
