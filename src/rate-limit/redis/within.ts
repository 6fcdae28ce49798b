/**
 * Rejects when a reply takes longer. It reads what has arrived first: the delay of a busy process is not that of Redis.
 */
export function within<T>(milliseconds: number, reply: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const expire = () => {
      reject(new Error(`no response within ${milliseconds} ms`));
    };
    // The event loop runs timers first, then what sockets have received, then immediates.
    const timer = setTimeout(() => setImmediate(expire), milliseconds);
    reply.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
