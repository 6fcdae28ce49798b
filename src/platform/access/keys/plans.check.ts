import { type CheckResult, warn } from '../../kernel/config/check-result.js';
import { service } from '../../kernel/config/service.js';
import type { DatabaseCheck } from '../../data/database/checks/database-check.js';
import { planNames } from '../plans/plans.js';

const UNKNOWN = `
  SELECT plan, count(*)::integer AS keys FROM api_keys WHERE plan <> ALL ($1) AND revoked_at IS NULL
  GROUP BY plan ORDER BY plan`;

/** Keys with a plan that this version does not have get 503: one of a newer version, or one that was taken out. */
export const checkPlans: DatabaseCheck = async ({ query }): Promise<readonly CheckResult[]> => {
  const found = await query<{ plan: string; keys: number }>(UNKNOWN, [planNames()]);
  const advice = `Give such keys another plan: ${service().program} keys update <id> --plan <plan>. Until then, their requests get 503.`;
  return found.map(({ plan, keys }) =>
    warn(
      'plans',
      `this version does not have the plan ${plan} of ${keys === 1 ? 'a key' : `${keys} keys`}`,
      advice,
    ),
  );
};
