import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds. */
const POLL = 500;
const DELAY = 2 * POLL + 1_000; // /metrics is rendered once a second

/**
 * Records when processes had lost Redis, because of a fault or because the machine was too busy for it to reply within
 * a second.
 */
export class Losses {
  #spans = [];
  #counts = new Map();

  async watch(replicas, isOver) {
    while (!isOver()) {
      await Promise.all(replicas.map((replica) => this.#look(replica)));
      await sleep(POLL);
    }
  }

  /** Whether Redis was lost at any time in a span, in Unix milliseconds. */
  during(from, to) {
    return this.#spans.some((span) => span.from <= to && from <= span.to);
  }

  get length() {
    return this.#spans.length;
  }

  async #look(replica) {
    const text = await replica.metrics().catch(() => undefined);
    if (text === undefined) return this.#counts.set(replica, 0); // a new process counts from 0
    const now = Date.now();
    const count = Number(/^petstore_redis_lost_total (\d+)/m.exec(text)?.[1] ?? 0);
    const isLost = /^petstore_redis_up 0/m.test(text);
    if (isLost || count > (this.#counts.get(replica) ?? 0)) this.#spans.push({ from: now - DELAY, to: now });
    return this.#counts.set(replica, count);
  }
}
