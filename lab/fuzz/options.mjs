import { parseArgs } from 'node:util';

export const HELP = `npm run fuzz -- [--seconds 60] [--seed N]

Sends random hostile requests to its own service and checks each response: never a 5xx, never silence, never
slow, always an Error with its headers. Ends with exit code 1 and the smallest such request it finds.

  --seconds N  how long; default: 60
  --seed N     repeats a run
  --help       this
`;

/** @returns {{seconds: number, seed: number, help: boolean}} */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: { seconds: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
  });
  return {
    seconds: wholeNumber('--seconds', values.seconds ?? '60'),
    seed: wholeNumber('--seed', values.seed ?? String(Date.now() % 2 ** 31)),
    help: values.help ?? false,
  };
}

function wholeNumber(name, text) {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new TypeError(`${name} must be a whole number; it is ${JSON.stringify(text)}`);
}
