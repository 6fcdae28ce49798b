/** One window of a caller's quota, as it stands after the decision. */
export interface QuotaWindow {
  readonly name: 'minute' | 'day' | 'route';
  /** Length in seconds. */
  readonly length: number;
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetIn: number;
  /** When it ends: Unix milliseconds, the same for as long as it runs. */
  readonly resetAt: number;
}

/** What was decided about one request, and what is left of each window. */
export interface Decision {
  readonly admitted: boolean;
  readonly windows: readonly QuotaWindow[];
}

/** The window that the headers report: the one with the fewest requests left; of two exhausted, the later reset. */
export function decisive({ windows }: Decision): QuotaWindow {
  return windows.reduce((worst, window) =>
    window.remaining < worst.remaining ||
    (window.remaining === worst.remaining && window.resetIn > worst.resetIn)
      ? window
      : worst,
  );
}
