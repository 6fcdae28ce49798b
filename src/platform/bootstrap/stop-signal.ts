import { errorText } from './run.js';
import { onStopSignals } from '../terminal/on-stop-signals.js';
import { seconds } from '../clock/duration.js';

/** One Ctrl-C may arrive twice: the terminal sends it to npm and to this process, and npm forwards it. */
const DUPLICATE_INTERVAL = seconds(0.5);
const SIGINT_EXIT_CODE = 130;

/** Calls `stop` once on a signal (see `onStopSignals`), then ends the process. A second Ctrl-C ends it immediately. */
export function onStopSignal(stop: (signal: NodeJS.Signals) => Promise<void>): {
  readonly received: boolean;
} {
  const signal = { received: false };
  let receivedAt = 0;
  const handle = (name: NodeJS.Signals) => {
    if (signal.received) {
      if (name === 'SIGINT' && performance.now() - receivedAt > DUPLICATE_INTERVAL)
        process.exit(SIGINT_EXIT_CODE);
      return;
    }
    signal.received = true;
    receivedAt = performance.now();
    // A background job may fail because its connection is closed. The stop must continue.
    process.on('unhandledRejection', (reason) =>
      process.stderr.write(`petstore, while stopping: ${errorText(reason)}\n`),
    );
    stop(name).then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${errorText(error)}\n`);
        process.exit(1);
      },
    );
  };
  onStopSignals(handle);
  return signal;
}
