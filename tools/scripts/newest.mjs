// npm run newest: runs the suite with the newest releases of the libraries whose insides the service uses, in a copy, and says which
// of them break what. `npm run newest -- nest pg` tries these groups only, each alone.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Packages of one project belong together. */
const GROUPS = {
  nest: /^@nestjs\//,
  typeorm: /^typeorm$/,
  pg: /^pg(-query-stream)?$/,
  validation: /^class-/,
  redis: /^ioredis$/,
  pino: /^pino/,
  express: /^express$/,
  json: /^lossless-json$/,
};
/** It compares versions with those that somebody has read. */
const NOT_RUN = 'library-internals';

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in GROUPS));
if (unknown.length > 0) {
  console.error(`Not a group: ${unknown.join(', ')}. Groups: ${Object.keys(GROUPS).join(', ')}`);
  process.exit(2);
}

const { dependencies, devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const known = Object.keys({ ...dependencies, ...devDependencies });
const packagesOf = (group) => known.filter((name) => GROUPS[group].test(name));

const folder = await mkdtemp(join(tmpdir(), 'petstore-newest-'));
try {
  process.exitCode = await main();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function main() {
  for (const file of git('ls-files', '-z').split('\0').filter(Boolean)) {
    await cp(join(ROOT, file), join(folder, file), { recursive: true, force: true }).catch((error) => {
      if (error.code !== 'ENOENT') throw error; // deleted, but not committed
    });
  }
  if (asked.length > 0) return (await each(asked)) ? 0 : 1;
  const groups = Object.keys(GROUPS);
  if (await tried(groups)) return 0;
  console.log('\nEach group alone:');
  await each(groups);
  return 1;
}

async function each(groups) {
  let isGreen = true;
  for (const group of groups) isGreen = (await tried([group])) && isGreen;
  return isGreen;
}

/** Whether build, types and tests pass with the newest releases of these groups, and those of the lock file for the rest. */
async function tried(groups) {
  git(
    '-C',
    ROOT,
    'checkout-index',
    '--force',
    `--prefix=${folder}/`,
    '--',
    'package.json',
    'package-lock.json',
  );
  const names = groups.flatMap(packagesOf);
  // Quality of a lock file is not the question here, so peers that are too old for a release are no reason to stop.
  const steps = [
    ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', ...names.map((name) => `${name}@latest`)],
    ['run', 'typecheck'],
    ['test', '--', '--testPathIgnorePatterns', NOT_RUN],
  ];
  for (const step of steps) {
    const { code, output } = await npm(step);
    if (code === 0) continue;
    console.log(`✗ ${groups.join(', ')} (${await versions(names)}): npm ${step[0]} ${step[1] ?? ''}`);
    console.log(problemsIn(output));
    return false;
  }
  console.log(`✓ ${groups.join(', ')} (${await versions(names)})`);
  return true;
}

async function versions(names) {
  const installed = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, 'node_modules', name, 'package.json');
      const text = await readFile(file, 'utf8').catch(() => '{"version":"not installed"}');
      return `${name} ${JSON.parse(text).version}`;
    }),
  );
  return installed.join(', ');
}

function problemsIn(output) {
  const lines = output.split('\n');
  const named = lines.filter((line) => /^FAIL |^\s+● |error TS\d+|^npm (error|ERR!)/.test(line));
  return [...new Set(named.length > 0 ? named : lines.slice(-20))].slice(0, 60).join('\n');
}

async function npm(args) {
  const child = spawn('npm', args, { cwd: folder, env: { ...process.env, FORCE_COLOR: '0' } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  const [code] = await once(child, 'close');
  return { code, output };
}

function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e8 });
}
