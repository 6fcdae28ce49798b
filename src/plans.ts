import type { Plans } from './platform/access/plans/plans.js';

/** What each plan allows. Limits and names are those of the contract. */
export const PLANS = {
  free: { perMinute: 60, perDay: 1_000, webhooks: 2 },
  pro: { perMinute: 300, perDay: 10_000, webhooks: 5 },
  business: { perMinute: 1_000, perDay: 100_000, webhooks: 20 },
  enterprise: { perMinute: 'custom', perDay: 'custom', webhooks: 50 },
} as const satisfies Plans;

declare module './platform/access/plans/plans.js' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- it takes the names of PLANS as its members
  interface ServicePlans extends Record<keyof typeof PLANS, true> {}
}
