import { pino } from 'pino';
import type { LogDestination } from './logger.js';
import { prettyOutput } from './pretty-output.js';

/**
 * The destination of log lines: readable on a terminal, JSON elsewhere. JSON is buffered, because writing a line costs
 * more than formatting it: about sixty lines, for at most 250 ms. At the end of the process the buffer is flushed, except by SIGKILL.
 */
export async function standardOutput(): Promise<LogDestination> {
  if (process.stdout.isTTY) return prettyOutput();
  return pino.destination({ sync: false, minLength: 12_288, periodicFlush: 250 });
}
