#!/usr/bin/env node
// npm run deploy:prefix: gives the metrics in deploy/ the prefix of src/service.ts, where it is not that of the pet store.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const { SERVICE } = await import('../../dist/src/service.js');
const { prefix } = SERVICE;

const within = (folder) => readdirSync(join(root, folder)).map((name) => join(folder, name));
const files = [
  ...within('deploy/prometheus'),
  ...within('deploy/grafana/dashboards'),
  'deploy/backup/daily.sh',
  'deploy/compose/upkeep.sh',
];

for (const file of files.map((name) => join(root, name))) {
  const text = readFileSync(file, 'utf8');
  const renamed = text.replace(/\bpetstore_/g, `${prefix}_`);
  if (renamed !== text) writeFileSync(file, renamed);
}
