import { errorText } from './run.js';
import { endProcess } from '../../kernel/terminal/end-process.js';
import { onStopSignals } from '../../kernel/terminal/on-stop-signals.js';
import { seconds } from '../../kernel/clock/duration.js';
import { programName } from '../../kernel/config/service.js';

/** One Ctrl-C may arrive twice: the terminal sends it to npm and to this process, and npm forwards it. */
const DUPLICATE_INTERVAL = seconds(0.5);
const SIGINT_EXIT_CODE = 130;

interface StopSignal {
  /** Whether the stop has begun. */
  readonly received: boolean;
  /** Stops as SIGTERM does, but the process ends as one that has failed, which supervisors start again. */
  fail(): void;
}

/**
 * Calls `stop` once on a signal (see `onStopSignals`), then ends the process. A second Ctrl-C ends it
 * immediately.
 */
export function onStopSignal(stop: (signal: NodeJS.Signals) => Promise<void>): StopSignal {
  const signal = {
    received: false,
    fail: () => {
      handle('SIGTERM', 1);
    },
  };
  let receivedAt = 0;
  const handle = (name: NodeJS.Signals, exitCode: number) => {
    if (signal.received) {
      if (name === 'SIGINT' && performance.now() - receivedAt > DUPLICATE_INTERVAL)
        endProcess(SIGINT_EXIT_CODE);
      return;
    }
    signal.received = true;
    receivedAt = performance.now();
    // A background job may fail because its connection is closed. The stop must continue.
    process.on('unhandledRejection', (reason) =>
      process.stderr.write(`${programName()}, while stopping: ${errorText(reason)}\n`),
    );
    stop(name).then(
      () => {
        endProcess(exitCode);
      },
      (error: unknown) => {
        endProcess(1, errorText(error));
      },
    );
  };
  onStopSignals((name) => {
    handle(name, 0);
  });
  return signal;
}
