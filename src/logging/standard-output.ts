import { type DestinationStream, pino } from 'pino';
import { readably } from './readably.js';

const BUFFER = 12_288; // bytes: one write for some sixty lines
const FLUSHED_EVERY = 250; // milliseconds

/**
 * Where the lines go: readable on a terminal, JSON anywhere else. JSON is buffered, because a write for each line
 * would cost more than making the line does; the buffer is written out at the end of the process, whatever ends it
 * but SIGKILL.
 */
export async function standardOutput(): Promise<DestinationStream> {
  if (process.stdout.isTTY) return readably();
  return pino.destination({ sync: false, minLength: BUFFER, periodicFlush: FLUSHED_EVERY });
}
