/** How long to wait, and how often to try again. Times are in milliseconds. */
export interface BackOff {
  /** Requests at most, the first one included. */
  readonly tries: number;
  /** Upper end of the first random wait; each further one doubles it, up to `longest`. */
  readonly first: number;
  readonly longest: number;
  /** A longer wait, such as that for the next day's quota, is not worth it: the refusal is thrown at once. */
  readonly patience: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** From 0 up to, but not including, 1. */
  readonly random: () => number;
  /** Unix time. */
  readonly now: () => number;
}

export const BACK_OFF: BackOff = {
  tries: 5,
  first: 500,
  longest: 30_000,
  patience: 120_000,
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  random: Math.random,
  now: Date.now,
};

/**
 * What `Retry-After` says comes first. Without it, and on top of it when others were quicker after that wait, the wait
 * is random below a bound that doubles ("full jitter"), so that clients that were refused together do not come back
 * together.
 * @param retry 0 for the first one
 */
export function waitBefore(retry: number, retryAfter: string | null, backOff: BackOff): number {
  const jitter = backOff.random() * Math.min(backOff.longest, backOff.first * 2 ** retry);
  const told = toldToWait(retryAfter, backOff.now());
  if (told === undefined) return jitter;
  return retry === 0 ? told : told + jitter;
}

/** The header holds whole seconds, or from some proxies a date (RFC 9110, 10.2.3). */
function toldToWait(retryAfter: string | null, now: number): number | undefined {
  if (retryAfter === null) return undefined;
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
