import { parseArgs } from 'node:util';
import { FAULTS } from './faults.mjs';

const names = Object.keys(FAULTS);

export const HELP = `npm run soak -- [--minutes 11] [--faults NAMES] [--every 60]

Four processes of the service on one Redis and one PostgreSQL get ordinary traffic and every hostile kind of it at the
same time, and a fault each minute. Afterwards their descriptors, memory and timers must be where they began, every pet
whose creation had the response 201 must exist, no response may have been a 5xx other than 503 in a fault of PostgreSQL,
and no key may have had more requests than its limit, or three times that when a process has lost Redis. Ends with exit
code 1 and a line for each broken promise.

  --minutes N     how long the traffic lasts; default ${names.length}: each fault once
  --faults NAMES  some of ${names.join(',\n                  ')};
                  "none" for none
  --every N       seconds from one fault to the next; default 60
  --help          this
`;

/** @returns {{minutes: number, faults: string[], every: number, help: boolean}} */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: String(names.length) },
      faults: { type: 'string', default: names.join() },
      every: { type: 'string', default: '60' },
      help: { type: 'boolean', default: false },
    },
  });
  const faults = values.faults === 'none' ? [] : values.faults.split(',');
  const unknown = faults.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new TypeError(`--faults: ${unknown.join()} is none of ${names.join()}`);
  return {
    ...values,
    faults,
    minutes: number('--minutes', values.minutes),
    every: number('--every', values.every),
  };
}

function number(option, text) {
  const value = Number(text);
  if (!(value > 0)) throw new TypeError(`${option} must be a number above 0; it is ${text}`);
  return value;
}
