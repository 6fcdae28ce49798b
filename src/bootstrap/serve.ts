import { setTimeout as delay } from 'node:timers/promises';
import { seconds } from '../kernel/clock/duration.js';
import { onStopSignal } from './stop-signal.js';

/** Gets the signal that stops the program, if any. */
type Close = (signal?: NodeJS.Signals) => Promise<void>;
export type OnEnd = (close: Close) => void;

/** Ctrl-C ends the program even if the start hangs on a database that does not respond. */
const START_TIMEOUT = seconds(5);

/**
 * Starts a service. What it registers with `onEnd` is closed, newest first, when the start fails or a signal arrives,
 * during the start too.
 */
export async function serve(start: (onEnd: OnEnd) => Promise<void>): Promise<void> {
  const opened: Close[] = [];
  const closeAll = async (received?: NodeJS.Signals): Promise<void> => {
    const close = opened.pop();
    try {
      await close?.(received);
    } finally {
      if (close) await closeAll(received); // the earlier ones, even if this one fails to close
    }
  };
  const starting = start((close) => opened.push(close));
  const signal = onStopSignal(async (received) => {
    await Promise.race([starting.catch(() => undefined), delay(START_TIMEOUT)]); // a half-open resource cannot be closed
    await closeAll(received);
    if (received === 'SIGINT') process.once('exit', printStopped); // after the last log lines
  });
  await starting.catch(async (error: unknown) => {
    if (signal.received) return; // the signal may have made the start fail: initdb gets it too
    await closeAll();
    throw error;
  });
}

function printStopped(): void {
  process.stdout.write(process.stdout.isTTY ? '\nStopped.\n' : 'Stopped.\n'); // the terminal has printed ^C
}
