/** Seconds, of the limited keys. */
const WINDOW = 60;

/** What the service has responded. */
export class Tally {
  statuses = {};
  /** The ids of the pets that were created. */
  created = [];
  /** Admitted requests of each limited key, by the second in which the window ends, as the response says. */
  windows = new Map();
  failures = [];
  /** Responses with a 5xx that no fault explains. */
  unexpected = [];
  slowest = 0;

  /** @param limited the name of the key, where its limit is to be held */
  note({ what, status, headers, from, to, limited, allowed }) {
    this.statuses[status] = this.count(status) + 1;
    this.slowest = Math.max(this.slowest, to - from);
    const isDocumented = status === 503 && headers['retry-after'] !== undefined;
    if (status >= 500 && !(isDocumented && allowed))
      this.unexpected.push({ what, status, from, to, isDocumented });
    if (limited !== undefined && status === 200) {
      const ends = this.windows.get(limited) ?? new Map();
      const end = Number(headers['x-ratelimit-reset']);
      this.windows.set(limited, ends.set(end, (ends.get(end) ?? 0) + 1));
    }
  }

  fail(line) {
    if (this.failures.length < 20) this.failures.push(line);
  }

  count(status) {
    return this.statuses[status] ?? 0;
  }

  get requests() {
    return Object.values(this.statuses).reduce((sum, count) => sum + count, 0);
  }

  /**
   * What each key has had in each of its windows. A process that counts by itself may name another end than the others:
   * ends that are less than a window apart are those of one.
   */
  *perWindow() {
    for (const [key, ends] of this.windows) {
      let window;
      for (const [end, count] of [...ends].sort(([a], [b]) => a - b)) {
        if (window && end < window.first + WINDOW - 1) {
          window.count += count;
          window.end = end;
        } else {
          if (window) yield window;
          window = { key, first: end, end, count };
        }
      }
      if (window) yield window;
    }
  }

  toString() {
    const list = Object.entries(this.statuses).map(([status, count]) => `${status} × ${count}`);
    return `${this.requests} responses (${list.join(', ')}), the slowest after ${Math.round(this.slowest)} ms`;
  }
}
