import { type Plan, seconds } from '../platform/index.js';

/** How many pets one request can add. */
export const PETS_OF_PLAN: Readonly<Record<Plan, number>> = {
  free: 10,
  pro: 50,
  business: 100,
  enterprise: 100,
};

/** With any plan. */
export const MAX_PETS = Math.max(...Object.values(PETS_OF_PLAN));

/**
 * How many batches a key can send, beside its quota: five a second, so at most 500 pets. A process delivers
 * 900 events a second to a webhook, so events of an import arrive within seconds. Without it, a minute of the
 * business plan's quota is 100,000 events at once.
 */
export const BATCHES_OF_KEY = { limit: 10, ttl: seconds(2) };
