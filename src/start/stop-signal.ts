/**
 * Does what has to be done before the process ends on Ctrl-C or SIGTERM, once: a terminal sends Ctrl-C to npm
 * and to this process, and npm sends it on.
 */
export function onStopSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const handle = () => {
    if (stopping) return;
    stopping = true;
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', handle).on('SIGTERM', handle);
}
