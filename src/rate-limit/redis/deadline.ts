/**
 * The answer, unless it takes longer than that many milliseconds. When the time is up, what has arrived meanwhile is
 * read first: a process that was busy itself must not take its own delay for Redis's.
 */
export function within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const giveUp = () => {
      reject(new Error(`no answer within ${milliseconds} ms`));
    };
    // Of an event loop's turn, timers come first, then what sockets have received, then immediates.
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds);
    answer.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
