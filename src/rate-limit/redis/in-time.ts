/**
 * Rejects when a reply takes longer. The event loop runs timers first, then what sockets have received, then immediates: a
 * reply that has arrived is read before, so the delay of a busy process is not that of Redis.
 * @param timeout in milliseconds
 */
export function inTime<T>(reply: Promise<T>, timeout: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(reject, new Error('no response in time')), timeout);
    reply.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
