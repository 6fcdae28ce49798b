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
  const output = pino.destination({
    sync: false,
    minLength: BUFFER,
    periodicFlush: FLUSHED_EVERY,
    contentMode: 'buffer',
  });
  // As strings it would measure all that is buffered anew for each line: 4.3 µs a line in place of 2.9.
  const write = (line: string) => output.write(Buffer.from(line) as unknown as string); // its types know no buffers
  const flushSync = () => {
    output.flushSync();
  };
  return Object.assign({ write }, { flushSync }); // pino asks for the latter after `fatal`; its types leave it out
}
