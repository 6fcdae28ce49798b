import { isatty } from 'node:tty';

type Listener = (signal: NodeJS.Signals) => void;

const ignore: Listener = () => undefined;

/**
 * Calls the listener on SIGINT and SIGTERM, and on SIGHUP if there is a terminal, which is gone then. Without
 * one SIGHUP is ignored: Node.js undoes what `nohup` sets, and a service that ends with 0 is not started
 * again.
 * @returns a function that ends this
 */
export function onStopSignals(listener: Listener): () => void {
  const onHangUp = isatty(0) ? listener : ignore;
  process.on('SIGINT', listener).on('SIGTERM', listener).on('SIGHUP', onHangUp);
  return () => {
    process.off('SIGINT', listener).off('SIGTERM', listener).off('SIGHUP', onHangUp);
  };
}
