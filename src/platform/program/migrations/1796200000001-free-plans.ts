import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The plans of 1.3, which its checks name. */
const KNOWN = `'free', 'pro', 'business', 'enterprise'`;

/** Plans are data of a service. The table asks only that limits come in pairs. */
export class FreePlans1796200000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys DROP CONSTRAINT api_keys_plan_known, DROP CONSTRAINT api_keys_custom_limits,
        ADD CONSTRAINT api_keys_limits_in_pairs CHECK ((per_minute IS NULL) = (per_day IS NULL))`);
  }

  /** @throws Error that names the keys whose plan the older version does not have */
  async down(runner: QueryRunner): Promise<void> {
    const found = (await runner.query(
      `SELECT id, plan FROM api_keys WHERE plan NOT IN (${KNOWN})
         OR (plan = 'enterprise') <> (per_minute IS NOT NULL) ORDER BY id LIMIT 10`,
    )) as readonly { readonly id: string; readonly plan: string }[];
    if (found.length > 0) {
      const keys = found.map(({ id, plan }) => `${id} (${plan})`).join(', ');
      throw new Error(
        `Keys have plans that the older version does not have: ${keys}. Give them other plans first.`,
      );
    }
    await runner.query(`
      ALTER TABLE api_keys DROP CONSTRAINT api_keys_limits_in_pairs,
        ADD CONSTRAINT api_keys_plan_known CHECK (plan IN (${KNOWN})),
        ADD CONSTRAINT api_keys_custom_limits CHECK (
          CASE WHEN plan = 'enterprise' THEN per_minute IS NOT NULL AND per_day IS NOT NULL
               ELSE per_minute IS NULL AND per_day IS NULL END)`);
  }
}
