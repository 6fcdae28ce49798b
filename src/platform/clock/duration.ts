/** Durations in milliseconds. */
export const seconds = (count: number): number => count * 1000;
export const minutes = (count: number): number => seconds(count * 60);
export const hours = (count: number): number => minutes(count * 60);
export const days = (count: number): number => hours(count * 24);

/**
 * The result of a promise, or `undefined` if it takes longer than the limit. The event loop runs timers, then reads sockets,
 * then runs immediates: a result that has already arrived counts, so a busy process does not mistake its own delay for
 * another's. The timer does not keep the process alive.
 * @param limit milliseconds
 */
export async function resultWithin<T>(limit: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve, undefined), limit).unref();
  });
  try {
    return await Promise.race([promise, end]);
  } finally {
    clearTimeout(timer);
  }
}
