import { seconds, withTimeout } from '../clock/duration.js';

/**
 * Time for the last lines. A full disk or a frozen reader takes none of them, and must not keep the process.
 */
const LAST_LINES_TIMEOUT = seconds(1);

const outputs: (() => Promise<unknown>)[] = [];
let ending = false;

/** Registers a buffered output, which writes what it still has before the process ends. */
export function writeBeforeEnd(writeRest: () => Promise<unknown>): void {
  outputs.push(writeRest);
}

/**
 * Ends the process, even with open handles, as soon as all output is written, at the latest after 1 s. Only
 * the first call counts.
 * @param lastLine for stderr
 */
export function endProcess(code: number, lastLine?: string): void {
  if (ending) return;
  ending = true;
  const errorOutput = new Promise<void>((resolve) => {
    if (lastLine === undefined) resolve();
    else
      process.stderr.write(`${lastLine}\n`, () => {
        resolve();
      });
  });
  const written = Promise.all([errorOutput, ...outputs.map((writeRest) => writeRest())]);
  const end = () => process.exit(code);
  withTimeout(written, LAST_LINES_TIMEOUT).then(end, end);
}
