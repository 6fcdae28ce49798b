import { errorText } from './run.js';
import { seconds } from '../kernel/clock/duration.js';

/** One Ctrl-C may arrive twice: the terminal sends it to npm and to this process, and npm forwards it. */
const DUPLICATE_INTERVAL = seconds(0.5);
const SIGINT_EXIT_CODE = 130;

/** Calls `stop` once on Ctrl-C, SIGTERM or the end of the terminal (SIGHUP), then ends the process. A second Ctrl-C ends it at once. */
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
    // A job of a module may fail because its connections are closed. The rest must still be closed.
    process.on('unhandledRejection', (reason) =>
      process.stderr.write(`petstore, while stopping: ${errorText(reason)}\n`),
    );
    stop(name).then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', handle).on('SIGTERM', handle).on('SIGHUP', handle);
  return signal;
}
