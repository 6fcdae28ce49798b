import { StartupError } from '../../../kernel/config/startup-error.js';
import type { DatabaseCheck } from './database-check.js';

/** A setting by which the service would get, or write, something else than it relies on. */
interface Requirement {
  readonly name: string;
  /** SQL: whether the value, `setting`, is right. */
  readonly isRight: string;
  /** SQL of a value that is right. */
  readonly value: string;
  /** What the wrong value does. */
  readonly effect: string;
}

/**
 * Other settings cannot be seen in what the service reads: each connection sets its own `DateStyle`, and `pg` reads
 * both forms of `bytea_output`.
 */
const REQUIREMENTS: readonly Requirement[] = [
  {
    name: 'extra_float_digits',
    isRight: 'setting::integer >= 1',
    value: '1',
    effect: 'PostgreSQL rounds the floating-point numbers that it returns',
  },
  {
    name: 'default_transaction_isolation',
    isRight: `setting = 'read committed'`,
    value: `'read committed'`,
    effect: 'a transaction that has waited for another one does not see what that has written',
  },
  {
    name: 'standard_conforming_strings',
    isRight: `setting = 'on'`,
    value: 'on',
    effect: 'PostgreSQL reads another text than a statement has',
  },
];

const WRONG = `
  SELECT name, setting, quote_ident(current_user) AS role, quote_ident(current_database()) AS database
  FROM pg_settings WHERE ${REQUIREMENTS.map(({ name, isRight }) => `name = '${name}' AND NOT (${isRight})`).join(' OR ')}
  ORDER BY name`;

export const checkServerSettings: DatabaseCheck = async ({ query }) => {
  const [wrong] = await query<{ name: string; setting: string; role: string; database: string }>(WRONG);
  if (!wrong) return [];
  const { name, setting, role, database } = wrong;
  const requirement = REQUIREMENTS.find((one) => one.name === name);
  throw new StartupError(
    `DATABASE_URL: ${name} is ${setting}, so ${requirement?.effect}.` +
      ` Run: ALTER ROLE ${role} IN DATABASE ${database} SET ${name} = ${requirement?.value}`,
  );
};
