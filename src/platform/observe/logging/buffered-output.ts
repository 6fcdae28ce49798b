import { pino } from 'pino';
import { seconds } from '../../kernel/clock/duration.js';
import { writeBeforeEnd } from '../../kernel/terminal/end-process.js';

/** Bytes. */
const WRITE_FROM = 12_288;
/** Instead of `periodicFlush`, which also wakes a process that has nothing to write, four times a second. */
const FLUSH_AFTER = seconds(0.25);

type Output = ReturnType<typeof pino.destination>;

let opened: Output | undefined;
let dropped = 0;
/** Bytes that have been accepted and not been written. */
let waiting = 0;
let flushing: NodeJS.Timeout | undefined;
let hasEnded = false;

/**
 * How many texts, each of them one line of the log, this process has dropped because standard output could
 * not be written.
 */
export const droppedLines = (): number => dropped;

/**
 * Standard output for everything that a service prints. It never throws, blocks or grows: texts are buffered,
 * because writing a line costs more than formatting it, about 60 lines for at most 250 ms. What cannot be
 * written, on a full disk or to a frozen reader, is tried again every 250 ms; beyond 1 MiB further texts are
 * dropped. Errors go to the listeners of `process.stdout`, which decide about a closed pipe.
 */
export function bufferedOutput(): Output {
  opened ??= open();
  return opened;
}

function open(): Output {
  const output = pino.destination({
    sync: false,
    contentMode: 'buffer', // of texts, it would count all that wait at each further one
    minLength: WRITE_FROM,
    maxLength: 1 << 20,
  }) as Output & { minLength: number }; // it reads its option at each text, which its types do not say
  const write = output.write.bind(output) as unknown as (bytes: Buffer) => boolean; // its types know only texts
  output.write = (text) => {
    const bytes = Buffer.from(text);
    waiting += bytes.length;
    flushSoon(output);
    return write(bytes);
  };
  output.on('drop', (bytes: Buffer) => (waiting -= bytes.length));
  output.on('write', (bytes: number) => {
    waiting -= bytes;
    output.minLength = WRITE_FROM;
  });
  // A reader that was frozen leaves less than `WRITE_FROM` behind, which the flushes of the time before could
  // not write.
  output.on('drain', () => {
    if (waiting > 0) flushSoon(output);
  });
  output.on('error', () => {
    output.minLength = Infinity; // otherwise each text is a further attempt
    flushSoon(output);
  });
  // pino calls it when the process exits and after a fatal line, and on a full disk it never returns.
  // `endProcess` does instead.
  output.flushSync = () => undefined;
  output.on('error', (error) => process.stdout.emit('error', error));
  output.on('drop', () => (dropped += 1));
  writeBeforeEnd(() => writeRest(output));
  return output;
}

function flushSoon(output: Output): void {
  if (hasEnded) return;
  flushing ??= setTimeout(() => {
    flushing = undefined;
    output.flush();
  }, FLUSH_AFTER).unref();
}

/** Resolves when all is written, or when something cannot be. */
function writeRest(output: Output): Promise<unknown> {
  const settled = new Promise((resolve) => output.once('close', resolve).once('error', resolve));
  output.flush();
  output.end();
  hasEnded = true;
  clearTimeout(flushing);
  output.write = () => false; // a closed one would throw
  return settled;
}
