import type { Plan } from '../../platform/index.js';

/** How many pets one request can add. */
export const PETS_OF_PLAN: Readonly<Record<Plan, number>> = {
  free: 10,
  pro: 50,
  business: 100,
  enterprise: 100,
};

/** With any plan. */
export const MAX_PETS = Math.max(...Object.values(PETS_OF_PLAN));
