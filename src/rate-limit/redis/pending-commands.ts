interface PendingCommand {
  /** When it takes too long, on the clock of this process. */
  readonly due: number;
  readonly reject: (error: Error) => void;
}

/**
 * Commands whose reply is awaited. Each is settled by its reply, by its time limit, or when all are abandoned. One timer
 * serves all of them.
 */
export class PendingCommands {
  private readonly pending = new Set<PendingCommand>();
  private timer?: NodeJS.Timeout;
  private wakesAt = Infinity;

  /** Rejects when a reply takes longer. A later one is ignored. */
  settle<T>(timeout: number, reply: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const command = { due: performance.now() + timeout, reject };
      this.pending.add(command);
      if (command.due < this.wakesAt) this.wakeAt(command.due, timeout);
      reply.then(
        (value) => {
          this.pending.delete(command);
          resolve(value);
        },
        (error: unknown) => {
          this.pending.delete(command);
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  abandon(error: Error): void {
    for (const { reject } of this.pending) reject(error);
    this.pending.clear();
  }

  private wakeAt(time: number, milliseconds: number): void {
    clearTimeout(this.timer);
    this.wakesAt = time;
    this.timer = setTimeout(() => {
      const now = performance.now();
      // The event loop runs timers first, then what sockets have received, then immediates. So a reply that has arrived
      // is read before: the delay of a busy process is not that of Redis.
      setImmediate(() => {
        this.expire(now);
      });
    }, milliseconds).unref();
  }

  /** Rejects what was due before the sockets were read, and sleeps until the next one is. */
  private expire(now: number): void {
    let next = Infinity;
    for (const command of this.pending) {
      if (command.due > now) {
        next = Math.min(next, command.due);
      } else {
        this.pending.delete(command);
        command.reject(new Error('no response in time'));
      }
    }
    this.wakesAt = Infinity;
    if (next < Infinity) this.wakeAt(next, Math.ceil(next - now));
  }
}
