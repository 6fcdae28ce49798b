/** One window of a client after a decision. */
export interface RateLimitWindow {
  /** `minute` and `day` of a plan; the name of a throttler, or `route` for the default one. */
  readonly name: string;
  /** Length in seconds. */
  readonly length: number;
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetIn: number;
  /** Unix milliseconds when the window ends, constant while it runs. */
  readonly resetAt: number;
}

/** What is decided about one request, and what is left of each window. */
export interface RateLimitResult {
  readonly admitted: boolean;
  /** Those of the plan. */
  readonly windows: readonly RateLimitWindow[];
  /** Milliseconds until the ban of the key ends. */
  readonly bannedFor?: number;
  /** Those of the throttlers of the route. */
  readonly throttlers?: readonly RateLimitWindow[];
  /** The `errorMessage` of the throttler that refuses. */
  readonly message?: string;
}

/** The window that the headers report: the one with the fewest requests left; of two exhausted, the later reset. */
export function tightestWindow({ windows }: RateLimitResult): RateLimitWindow {
  return windows.reduce((tightest, window) =>
    window.remaining < tightest.remaining ||
    (window.remaining === tightest.remaining && window.resetIn > tightest.resetIn)
      ? window
      : tightest,
  );
}
