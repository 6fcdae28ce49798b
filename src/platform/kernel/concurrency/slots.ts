// concurrency/ shares out a few places among many clients, in order. It knows neither HTTP nor PostgreSQL.

import type { EventEmitter } from 'node:events';
import { ServiceUnavailable } from '../errors/common.errors.js';

export interface SlotLimits {
  /** Slots of one client. */
  readonly perClient: number;
  /** Slots of all clients together; by default unlimited. */
  readonly total?: number;
  /** Milliseconds that a request waits for a slot. */
  readonly wait: number;
  /** Waiting requests of one client; by default unlimited. */
  readonly maxWaiting?: number;
}

/**
 * Shares a resource between clients. A client that has used up its slots waits, and its requests get them in
 * order. Of several clients that wait, the one served longest ago is next.
 */
export class Slots {
  /** Only those with requests. */
  private readonly clients = new Map<string, ClientQueue>();
  /**
   * Clients that wait although they have a slot left: all slots together are taken. The least recently served
   * first.
   */
  private readonly ready = new Set<ClientQueue>();
  private readonly total: number;
  private taken = 0;
  private isClosed = false;

  constructor(private readonly limits: SlotLimits) {
    this.total = limits.total ?? Infinity;
  }

  /**
   * Takes a slot, which {@link leave} gives back.
   * @returns `undefined` if the request has its slot already
   * @throws ServiceUnavailable if it would have to wait, and too many requests of the client do
   */
  enter(name: string): WaitingRequest | undefined {
    let client = this.clients.get(name);
    if (!client) this.clients.set(name, (client = { taken: 0, waiting: new Set() }));
    if (client.taken < this.limits.perClient && this.taken < this.total) {
      client.taken += 1;
      this.taken += 1;
      return undefined;
    }
    return this.queue(name, client);
  }

  /** Whether a request of the client waits for a slot. */
  isAwaitedBy(name: string): boolean {
    const client = this.clients.get(name);
    return client !== undefined && client.waiting.size > 0;
  }

  /**
   * Gives a slot back. The next request starts in a new pass of the event loop, so that a queue does not run
   * in one piece.
   */
  leave(name: string): void {
    const client = this.clients.get(name);
    if (!client) throw new Error(`${name} has no slot.`);
    client.taken -= 1;
    this.taken -= 1;
    this.sort(name, client);
    this.admit();
  }

  /** Runs work in a slot. @throws ServiceUnavailable, and any error of the work */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    await this.enter(name)?.admitted;
    try {
      return await work();
    } finally {
      this.leave(name);
    }
  }

  /** Refuses the requests that wait, and later ones that would have to. */
  close(): void {
    this.isClosed = true;
    for (const { waiting } of [...this.clients.values()])
      for (const request of [...waiting]) request.cancel();
  }

  private queue(name: string, client: ClientQueue): WaitingRequest {
    const { maxWaiting = Infinity } = this.limits;
    if (this.isClosed || client.waiting.size >= maxWaiting) {
      this.sort(name, client);
      throw new ServiceUnavailable({ cause: this.isClosed ? 'the service stops' : TOO_MANY });
    }
    const request = new WaitingRequest(this.limits.wait, () => {
      client.waiting.delete(request);
      this.sort(name, client);
    });
    client.waiting.add(request);
    this.sort(name, client);
    return request;
  }

  private admit(): void {
    for (const client of this.ready) {
      if (this.taken >= this.total) return;
      const [request] = client.waiting;
      if (!request) continue;
      client.taken += 1;
      this.taken += 1;
      this.ready.delete(client); // behind the others, if it still waits
      request.admit();
    }
  }

  private sort(name: string, client: ClientQueue): void {
    const { taken, waiting } = client;
    if (waiting.size > 0 && taken < this.limits.perClient) this.ready.add(client);
    else this.ready.delete(client);
    if (taken === 0 && waiting.size === 0) this.clients.delete(name);
  }
}

const TOO_MANY = 'too many requests of this client wait';

interface ClientQueue {
  taken: number;
  /** In the order of their arrival. */
  readonly waiting: Set<WaitingRequest>;
}

/** A request that waits for a slot. */
export class WaitingRequest {
  /**
   * Resolves when the request has its slot.
   * @throws ServiceUnavailable after the time to wait, and after `cancel()`
   */
  readonly admitted: Promise<void>;
  private resolve!: () => void; // set by the executor of `admitted`, which runs at once
  private reject!: (error: Error) => void;
  private readonly timer: NodeJS.Timeout;
  private hasEnded = false;

  /** @param leaveQueue called once, when the request no longer waits */
  constructor(
    wait: number,
    private readonly leaveQueue: () => void,
  ) {
    this.admitted = new Promise<void>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = setTimeout(() => {
      this.end('no slot became free in time');
    }, wait);
  }

  /** Ends the wait without a slot. Does nothing if the request has one. */
  cancel(): void {
    this.end('it was cancelled while it waited');
  }

  /**
   * As `admitted`, but a client that has gone no longer waits.
   * @param connection emits `close` when it goes, and is `destroyed` then
   */
  async admittedUnlessClosed(connection: EventEmitter & { readonly destroyed?: boolean }): Promise<void> {
    const cancel = () => {
      this.cancel();
    };
    if (connection.destroyed === true) cancel();
    connection.once('close', cancel);
    await this.admitted.finally(() => connection.off('close', cancel));
  }

  admit(): void {
    this.stopWaiting();
    setImmediate(this.resolve);
  }

  private end(cause: string): void {
    if (this.hasEnded) return;
    this.stopWaiting();
    this.reject(new ServiceUnavailable({ cause }));
  }

  private stopWaiting(): void {
    this.hasEnded = true;
    clearTimeout(this.timer);
    this.leaveQueue();
  }
}
