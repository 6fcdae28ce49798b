#!/usr/bin/env node
// The subset of `docker` that deploy/compose/roll.sh uses. Containers are lines of a file: id, version, state. Those of
// version `bad` never become healthy, and those of `dies` do not remain healthy. There is no image of the version `gone`.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

const { CONTAINERS = '', PETSTORE_VERSION = '' } = process.env;
const args = process.argv.slice(2);
const line = args.join(' ');
const containers = readFileSync(CONTAINERS, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((text) => text.split(' '));
const save = (all) => writeFileSync(CONTAINERS, all.map((one) => `${one.join(' ')}\n`).join(''));
const replicas = containers.filter(([id]) => id !== 'worker');
appendFileSync(`${CONTAINERS}.log`, `${line}\n`);

if (line.startsWith('compose ps')) {
  const listed = args.at(-1) === 'worker' ? containers.filter(([id]) => id === 'worker') : replicas;
  for (const [id, version] of listed) console.log(line.includes('--format') ? `petstore:${version}` : id);
} else if (line.startsWith('compose config')) console.log('  "replicas": 2,');
else if (line.startsWith('compose up') && args.at(-1) === 'worker')
  save([...replicas, ['worker', PETSTORE_VERSION]]);
else if (line.startsWith('compose up')) {
  const wanted = Number(/petstore=(\d+)/.exec(line)?.[1]);
  const first = Math.max(0, ...replicas.map(([id]) => Number(id.slice(1)))) + 1;
  const added = Array.from({ length: wanted - replicas.length }, (_, i) => [
    `r${first + i}`,
    PETSTORE_VERSION,
  ]);
  save([...containers, ...added]);
  if (args.includes('--wait') && replicas.some(([, version]) => version === 'bad')) process.exitCode = 1;
} else if (args[0] === 'image') {
  if (args.at(-1) === 'petstore:gone') process.exitCode = 1;
} else if (args[0] === 'inspect') {
  const states = { bad: 'unhealthy 0', dies: 'healthy 1' };
  for (const [id, version] of containers) if (args.includes(id)) console.log(states[version] ?? 'healthy 0');
} else if (args[0] === 'rm') save(containers.filter(([id]) => !args.includes(id)));
