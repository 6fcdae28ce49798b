/** Durations in milliseconds. */
export const seconds = (count: number): number => count * 1000;
export const minutes = (count: number): number => seconds(count * 60);
export const hours = (count: number): number => minutes(count * 60);
export const days = (count: number): number => hours(count * 24);

/**
 * The result of a promise, or that of `late` if it takes longer. The event loop runs timers, then reads
 * sockets, then runs immediates: a result that has already arrived counts, so a busy process does not mistake
 * its own delay for another's. The timer does not keep the process alive.
 * @param late by default it throws
 */
export async function withTimeout<T, Late = never>(
  promise: Promise<T>,
  milliseconds: number,
  late: () => Late = noResponse,
): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve), milliseconds).unref();
  });
  try {
    return await Promise.race([promise, end.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

function noResponse(): never {
  throw new Error('no response in time');
}
