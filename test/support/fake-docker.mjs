#!/usr/bin/env node
// The subset of `docker` that deploy/compose/roll.sh uses. Containers are lines of a file: id (`r1` is a replica, `w1` a worker) and
// version. Those of version `bad` never become healthy, those of `dies` do not remain healthy, and the worker of `idle` does not become
// healthy. There is no image of the version `gone`, the settings do not suit the version `strict`, and `unmigrated` cannot migrate.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

const { CONTAINERS = '', PETSTORE_VERSION = '' } = process.env;
const args = process.argv.slice(2);
const line = args.join(' ');
const containers = readFileSync(CONTAINERS, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((text) => text.split(' '));
const save = (all) => writeFileSync(CONTAINERS, all.map((one) => `${one.join(' ')}\n`).join(''));
const of = (service) => containers.filter(([id]) => id.startsWith(service[0] === 'w' ? 'w' : 'r'));
appendFileSync(`${CONTAINERS}.log`, `${line}\n`);

if (line.startsWith('compose ps')) {
  const services = args.slice(2).filter((word) => !word.startsWith('--'));
  for (const [id] of services.flatMap(of)) console.log(id);
} else if (line.startsWith('compose config')) {
  if (args.at(-1) === 'petstore') console.log('  "replicas": 2,');
} else if (line.endsWith('petstore doctor') && PETSTORE_VERSION === 'strict') {
  console.log('fail   configuration  LOG_LEVEL is not a level');
  process.exitCode = 1;
} else if (line.endsWith('-T migrate') && PETSTORE_VERSION === 'unmigrated') {
  process.exitCode = 1;
} else if (line.startsWith('compose up')) {
  const last = Math.max(0, ...containers.map(([id]) => Number(id.slice(1))));
  let next = last + 1;
  for (const service of ['petstore', 'worker']) {
    const wanted = Number(new RegExp(`${service}=(\\d+)`).exec(line)?.[1]);
    for (let i = of(service).length; i < wanted; i++)
      containers.push([`${service === 'worker' ? 'w' : 'r'}${next++}`, PETSTORE_VERSION]);
  }
  save(containers);
} else if (args[0] === 'image') {
  if (args.at(-1) === 'petstore:gone') process.exitCode = 1;
} else if (args[0] === 'inspect') {
  const states = { bad: 'unhealthy 0', dies: 'healthy 1' };
  for (const [id, version] of containers.filter(([one]) => args.includes(one)))
    console.log(version === 'idle' && id.startsWith('w') ? 'unhealthy 0' : (states[version] ?? 'healthy 0'));
} else if (args[0] === 'rm') save(containers.filter(([id]) => !args.includes(id)));
