import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../bench/database.mjs';

/** Milliseconds. */
const POLL = 500;
/** The service waits 1 s and more. */
const SLOW = 500;
/** A probe that falls between two of them, and responses that are on their way. */
const AROUND = 2_000;

/**
 * When the machine was too busy: PostgreSQL took long to respond to this process, without the service and the proxies
 * between. A 503 of the service is right then.
 */
export class Machine {
  #spans = [];

  async watch({ postgres }, isOver) {
    while (!isOver()) {
      const from = performance.now();
      await withClient(postgres.url, (client) => client.query('SELECT 1')).catch(() => {}); // a fault
      const to = performance.now();
      if (to - from > SLOW) this.#spans.push({ from: from - AROUND, to: to + AROUND });
      await sleep(POLL);
    }
  }

  wasBusy(from, to) {
    return this.#spans.some((span) => span.from <= to && from <= span.to);
  }

  get times() {
    return this.#spans.length;
  }
}
