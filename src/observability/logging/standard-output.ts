import { pino } from 'pino';
import type { LogDestination } from './logger.js';
import { prettyOutput } from './pretty-output.js';

const BUFFER = 12_288; // bytes, about sixty lines
const FLUSH_AFTER = 250; // milliseconds

/**
 * The destination of log lines: readable on a terminal, JSON elsewhere. JSON is buffered, because writing a line costs
 * more than formatting it. The buffer is flushed when the process ends, except by SIGKILL.
 */
export async function standardOutput(): Promise<LogDestination> {
  if (process.stdout.isTTY) return prettyOutput();
  const output = pino.destination({
    sync: false,
    minLength: BUFFER,
    contentMode: 'buffer',
  });
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    output.flush();
  };
  // With strings it measures the whole buffer for each line: 4.3 µs a line instead of 2.9.
  const write = (line: string) => {
    output.write(Buffer.from(line) as unknown as string); // the types lack buffers
    // `periodicFlush` of pino would wake an idle process.
    timer ??= setTimeout(flush, FLUSH_AFTER).unref();
  };
  const flushSync = () => {
    output.flushSync();
  };
  return Object.assign({ write }, { flushSync }); // pino calls `flushSync` after `fatal`; the types lack it
}
