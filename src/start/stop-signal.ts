/**
 * Does what has to be done before the process ends on Ctrl-C or SIGTERM, once: a terminal sends Ctrl-C to npm
 * and to this process, and npm sends it on.
 */
export function onStopSignal(stop: () => Promise<void>): { readonly received: boolean } {
  const signal = { received: false };
  const handle = () => {
    if (signal.received) return;
    signal.received = true;
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', handle).on('SIGTERM', handle);
  return signal;
}
