const callbacks: (() => void)[] = [];

/** Runs callbacks at the end of this turn of the event loop, in their order; those that they add run then, too. */
export function atEndOfTurn(callback: () => void): void {
  if (callbacks.push(callback) === 1) setImmediate(run);
}

function run(): void {
  for (const callback of callbacks) callback();
  callbacks.length = 0;
}
