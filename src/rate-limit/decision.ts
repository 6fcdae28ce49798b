/** One window of a client's quota, as it stands after the decision. */
export interface QuotaWindow {
  /** `minute` and `day` of a plan; of a throttler its name, and `route` for the one without. */
  readonly name: string;
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

/** A decision, and the ban that stands behind it. */
export interface Verdict extends Decision {
  /** Milliseconds until the key's ban ends; 0 when it is not banned. */
  readonly bannedFor: number;
  /** The windows of the throttlers that the route has besides. */
  readonly throttlers?: readonly QuotaWindow[];
  /** What a client is told that the route's throttlers refuse. */
  readonly message?: string;
}

/** The window that the headers report: the one with the fewest requests left; of two exhausted, the later reset. */
export function tightestWindow({ windows }: Decision): QuotaWindow {
  return windows.reduce((worst, window) =>
    window.remaining < worst.remaining ||
    (window.remaining === worst.remaining && window.resetIn > worst.resetIn)
      ? window
      : worst,
  );
}
