#!/usr/bin/env node
import './node-version.cjs'; // first: it ends the process on a Node.js that cannot load the rest
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Builds a fresh clone. The build prints to stderr: stdout is for the command. */
function build() {
  process.stderr.write('petstore: building it first ...\n');
  const { status } = spawnSync(process.execPath, [at('node_modules/@nestjs/cli/bin/nest.js'), 'build'], {
    cwd: at(''),
    stdio: ['ignore', 2, 2],
  });
  return status === 0;
}

if (existsSync(at('dist/src/cli.js')) || build()) {
  const { load } = await import(
    new URL('../dist/src/platform/kernel/config/out-of-files.js', import.meta.url).href
  );
  await load(() => import(new URL('../dist/src/cli.js', import.meta.url).href), 'petstore');
} else {
  process.stderr.write('petstore: the build failed. Run: npm ci && npm run build\n');
  process.exitCode = 1;
}
