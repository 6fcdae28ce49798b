#!/usr/bin/env node
import { existsSync } from 'node:fs';

const program = new URL('../dist/src/cli.js', import.meta.url);

if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write('petstore: not built yet. Run: npm run build\n');
  process.exitCode = 1;
}
