import { lastWords } from './run.js';
import { seconds } from '../kernel/clock/duration.js';

/** One Ctrl-C may come twice at once: a terminal sends it to npm and to this process, and npm sends it on. */
const SAME_PRESS = seconds(0.5);
const INTERRUPTED = 130; // as a shell reports SIGINT

/**
 * Does what has to be done before the process ends on Ctrl-C or SIGTERM, once. Another Ctrl-C ends the process as it
 * is: somebody does not want to wait.
 */
export function onStopSignal(stop: (signal: NodeJS.Signals) => Promise<void>): {
  readonly received: boolean;
} {
  const signal = { received: false };
  let since = 0;
  const handle = (name: NodeJS.Signals) => {
    if (signal.received) {
      if (name === 'SIGINT' && performance.now() - since > SAME_PRESS) process.exit(INTERRUPTED);
      return;
    }
    signal.received = true;
    since = performance.now();
    // A job of a module may find its connections closed. That must not keep the rest from being closed.
    process.on('unhandledRejection', (reason) =>
      process.stderr.write(`petstore, while stopping: ${lastWords(reason)}\n`),
    );
    stop(name).then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', handle).on('SIGTERM', handle);
  return signal;
}
