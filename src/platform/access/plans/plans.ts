// plans/ says what each plan allows, as data.

/** The limits of a plan. With a custom plan, each key has its own. */
export interface Limits {
  /** Requests in 60 seconds. */
  readonly perMinute: number;
  /** Requests in a UTC calendar day. */
  readonly perDay: number;
}

export const PLANS = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: 'custom',
} as const satisfies Record<string, Limits | 'custom'>;

export type Plan = keyof typeof PLANS;

export const PLAN_NAMES = Object.keys(PLANS) as Plan[];
