#!/usr/bin/env node
// The subset of `kubectl` that deploy/backup uses. The files in the folder SECRET are the entries of the secret, and
// commands in a Pod run locally. Everything else is written to the file LOG.
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { SECRET = '', LOG = '' } = process.env;
const [, , ...args] = process.argv.slice(2); // --namespace petstore
const [verb] = args;
const entry = join(SECRET, 'webhook-secret-keys');

if (verb === 'exec') {
  const command = args
    .slice(args.indexOf('--') + 1)
    .map((word) => word.replaceAll('/run/secrets/petstore', `'${SECRET}'`));
  process.exitCode = spawnSync(command[0] ?? '', command.slice(1), { stdio: 'inherit' }).status ?? 1;
} else if (verb === 'get') process.stdout.write(readFileSync(entry));
else if (verb === 'patch') {
  const { data } = JSON.parse(readFileSync(args.at(-1).replace('--patch-file=', ''), 'utf8'));
  writeFileSync(entry, Buffer.from(data['webhook-secret-keys'], 'base64'));
} else appendFileSync(LOG, `${args.join(' ')}\n`);
