import { setTimeout as delay } from 'node:timers/promises';
import { seconds } from '../../kernel/clock/duration.js';
import { endWithoutOutput } from './run.js';
import { StartLines } from './start-lines.js';
import { onStopSignal } from './stop-signal.js';
import { programName } from '../../kernel/config/service.js';

/** Closes a resource. Gets the signal that stops the program, if any. */
type Close = (signal?: NodeJS.Signals) => Promise<void>;
export type OnEnd = (close: Close) => void;

/** Limits how long a stop waits for the start, which may hang on an unresponsive database. */
const START_TIMEOUT = seconds(5);

/**
 * Starts what runs until a signal: the service, a worker, or that of `npm run dev`. If the start fails or a
 * signal arrives, even during the start, runs the functions registered with `onEnd`, newest first. So does a
 * closed pipe of standard output, as `head` ends other programs. Nobody has asked for that stop: it is a
 * failure, and not SIGPIPE, SIGTERM or 0, after which systemd starts nothing again.
 */
export async function serve(start: (onEnd: OnEnd) => Promise<void>): Promise<void> {
  const opened: Close[] = [];
  const closeAll = async (received?: NodeJS.Signals): Promise<void> => {
    const close = opened.pop();
    try {
      await close?.(received);
    } finally {
      if (close) await closeAll(received); // continue even if this one fails
    }
  };
  const starting = start((close) => opened.push(close));
  const signal = onStopSignal(async (received) => {
    await Promise.race([starting.catch(() => undefined), delay(START_TIMEOUT)]); // a half-open resource is not registered yet
    await closeAll(received);
    if (received === 'SIGINT') printStopped();
  });
  process.stdout.off('error', endWithoutOutput).on('error', (error: NodeJS.ErrnoException) => {
    // Anything else, such as a full disk, costs lines of the log only.
    if (error.code !== 'EPIPE' || signal.received) return;
    process.stderr.write(`${programName()}: nothing reads stdout, so it stops.\n`);
    signal.fail();
  });
  await starting.catch(async (error: unknown) => {
    if (signal.received) return; // probably the cause of the failure: initdb gets the signal too
    await closeAll();
    throw error;
  });
}

function printStopped(): void {
  StartLines.print(process.stdout.isTTY ? '\nStopped.' : 'Stopped.'); // on a terminal, after the ^C
}
