import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../bench/database.mjs';

/** Milliseconds. */
const POLL = 500;
/** Milliseconds, less than the 1 s that the service waits at least. */
const SLOW = 500;
/** Milliseconds around a slow probe, for slowness between two probes and for responses still in flight. */
const AROUND = 2_000;

/**
 * Records when the machine was too busy: PostgreSQL responded slowly to this process, which does not go through the
 * service or the proxies. A 503 of the service is then correct.
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
