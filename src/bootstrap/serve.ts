import { setTimeout as delay } from 'node:timers/promises';
import { seconds } from '../kernel/clock/duration.js';
import { onStopSignal } from './stop-signal.js';

/** Gets the signal that asked for the end, if one did. */
type Close = (signal?: NodeJS.Signals) => Promise<void>;
export type OnEnd = (close: Close) => void;

/** A start that hangs, on a database that does not answer, does not keep Ctrl-C from ending the program. */
const PATIENCE = seconds(5);

/**
 * Starts a service. What it opens it hands to `onEnd`, and that is closed again, newest first, when the start fails
 * or a signal asks for the end, also in the middle of the start.
 */
export async function serve(start: (onEnd: OnEnd) => Promise<void>): Promise<void> {
  const opened: Close[] = [];
  const closeAll = async (asked?: NodeJS.Signals): Promise<void> => {
    const close = opened.pop();
    try {
      await close?.(asked);
    } finally {
      if (close) await closeAll(asked); // what was opened before it, also when it does not close
    }
  };
  const starting = start((close) => opened.push(close));
  const signal = onStopSignal(async (asked) => {
    await Promise.race([starting.catch(() => undefined), delay(PATIENCE)]); // half open cannot be closed
    await closeAll(asked);
    if (asked === 'SIGINT') process.once('exit', sayStopped); // after the last lines of the log
  });
  await starting.catch(async (error: unknown) => {
    if (signal.received) return; // the signal may be what made the start fail: it reaches initdb too
    await closeAll();
    throw error;
  });
}

function sayStopped(): void {
  process.stdout.write(process.stdout.isTTY ? '\nStopped.\n' : 'Stopped.\n'); // a terminal has echoed ^C
}
