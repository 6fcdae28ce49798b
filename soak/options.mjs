import { parseArgs } from 'node:util';

export const HELP = `npm run soak -- [--minutes 10] [--faults]

Four processes of the service on one Redis and one PostgreSQL get ordinary traffic and every hostile kind of it at the
same time. Afterwards their descriptors, memory and timers must be where they began, no response may have been a 5xx, and
no key may have had more requests than its limit, or less than twice that when a process has lost Redis. Ends with exit
code 1 and a line for each broken promise.

  --minutes N  how long the traffic lasts; default 10
  --faults     Redis is frozen for 1 s in every 10 s
  --help       this
`;

/** @returns {{minutes: number, faults: boolean, help: boolean}} */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: { minutes: { type: 'string' }, faults: { type: 'boolean' }, help: { type: 'boolean' } },
  });
  const minutes = Number(values.minutes ?? '10');
  if (!(minutes > 0)) throw new TypeError(`--minutes must be a number above 0; it is ${values.minutes}`);
  return { minutes, faults: values.faults ?? false, help: values.help ?? false };
}
