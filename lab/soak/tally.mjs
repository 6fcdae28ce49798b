/** Window of the limited keys, in seconds. */
const WINDOW = 60;

/** Counts the service's responses. */
export class Tally {
  statuses = {};
  /** The ids of the pets that were created. */
  created = [];
  /** Admitted requests of each limited key, by the second in which the response says the window ends. */
  windows = new Map();
  failures = [];
  /** 5xx responses that no fault explains. */
  unexpected = [];
  slowest = 0;

  /** @param limited the name of the key whose limit is to be checked */
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
   * The admitted requests of each key in each window. A process that counts alone may report a different end of the
   * window, so ends less than a window apart are treated as one.
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
