/** What the service has responded. */
export class Tally {
  statuses = {};
  /** Admitted requests of each limited key, by the window that the response names. */
  windows = new Map();
  failures = [];
  slowest = 0;

  /** @param limited the name of the key, where its limit is to be held */
  note(what, status, headers, took, limited) {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    this.slowest = Math.max(this.slowest, took);
    if (status >= 500) this.fail(`${what}: ${status}`);
    if (limited !== undefined && status === 200) {
      const window = `${limited} until ${headers['x-ratelimit-reset']}`;
      this.windows.set(window, (this.windows.get(window) ?? 0) + 1);
    }
  }

  fail(line) {
    if (this.failures.length < 20) this.failures.push(line);
  }

  get requests() {
    return Object.values(this.statuses).reduce((sum, count) => sum + count, 0);
  }

  /** The most that a key had in one window. */
  get most() {
    return Math.max(0, ...this.windows.values());
  }

  /** The windows in which a key had more than that. */
  above(limit) {
    return [...this.windows].filter(([, count]) => count > limit);
  }

  toString() {
    const list = Object.entries(this.statuses).map(([status, count]) => `${status} × ${count}`);
    return `${this.requests} responses (${list.join(', ')}), the slowest after ${Math.round(this.slowest)} ms`;
  }
}
