// The first import of a service's programs. Ends the process, in one sentence, on a Node.js that the platform does not support, and if
// a package that the service and the platform share is not the one that the platform was tested with: npm refuses that, unless it is
// told not to (`--force`, `--legacy-peer-deps`).
require('../../bin/node-version.cjs');
const { existsSync, readFileSync, realpathSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');

const { name: platform, version, peerDependencies, peerDependenciesMeta } = require('../../package.json');

/** The folder of a package, as a file finds it. */
function folderOf(name, file) {
  const folders = createRequire(file)
    .resolve.paths(name)
    .map((folder) => join(folder, name));
  const found = folders.find((folder) => existsSync(join(folder, 'package.json')));
  return found && realpathSync(found);
}

/** @param range an exact version, or one with ^ or ~ */
function accepts(range, installed) {
  const [wanted, given] = [range.replace(/^\D/, ''), installed].map((text) =>
    text.split('.').map(Number.parseFloat),
  );
  const same = { '^': 1, '~': 2 }[range[0]] ?? 3;
  if (given.slice(0, same).join() !== wanted.slice(0, same).join()) return false;
  const differs = wanted.findIndex((part, i) => part !== given[i]);
  return differs === -1 || given[differs] > wanted[differs];
}

function problemOf([name, range]) {
  const [ours, theirs] = [__filename, realpathSync(process.argv[1])].map((file) => folderOf(name, file));
  if (!ours || !theirs) return `${name} ${range} is not installed`;
  if (ours !== theirs) return `there are two copies of ${name}, ${ours} and ${theirs}`;
  const installed = JSON.parse(readFileSync(join(ours, 'package.json'), 'utf8')).version;
  return accepts(range, installed) ? undefined : `${name} ${installed} is installed, and ${range} is needed`;
}

const isNeeded = ([name]) => !peerDependenciesMeta[name]?.optional;
const problem = Object.entries(peerDependencies).filter(isNeeded).map(problemOf).find(Boolean);
if (problem) {
  console.error(`${platform} ${version}: ${problem}. Run, without --force: npm install`);
  process.exit(1);
}
